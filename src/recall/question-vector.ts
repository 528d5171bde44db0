import { wellFormed } from '../db/well-formed.ts';
import type { Embedder } from './embedder.ts';
import { shorten } from './fit-parts.ts';
import { unitVector } from './unit-vector.ts';

// Beyond this a question is a document, and its vector means everything and nothing.
const LONGEST_QUESTION = 2_000;
// A provider that does not answer must not hold up a cycle; words alone find most of it.
const PATIENCE_MS = 3_000;

export function toQuestion(text: string): string {
  return shorten(wellFormed(text).trim(), LONGEST_QUESTION);
}

/** Without a vector the search goes on by words: whatever is wrong shows in the log of the embedding job. */
export async function questionVector(embedder: Embedder, question: string): Promise<number[] | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const late = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const asked = embedder.embed([question], signal).then(([vector]) => vector && unitVector(vector));
  return Promise.race([asked.catch(() => undefined), late]);
}
