import type { Embedder } from './embedder.ts';
import { EmbeddingRefused } from './embedding-refused.ts';
import { passagesOf, toEmbed } from './passages.ts';
import { unitVector } from './unit-vector.ts';

/** For each text the vectors of its passages, one behind the other; none for a text that the embedder refuses. */
export async function embedTexts(embedder: Embedder, texts: string[], signal: AbortSignal): Promise<number[][]> {
  try {
    return await embedTogether(embedder, texts, signal);
  } catch (error) {
    if (!(error instanceof EmbeddingRefused)) throw error;
    if (texts.length === 1) return [[]];
    // One of them is at fault; the others shall not wait for it.
    const vectors: number[][] = [];
    for (const text of texts) vectors.push(...(await embedTexts(embedder, [text], signal)));
    return vectors;
  }
}

async function embedTogether(embedder: Embedder, texts: string[], signal: AbortSignal): Promise<number[][]> {
  const passages = texts.map((text) => passagesOf(text, embedder.passage).map((one) => toEmbed(one, embedder.passage)));
  const asked = passages.flat();
  const vectors = asked.length === 0 ? [] : await embedder.embed(asked, signal);
  if (vectors.length !== asked.length) {
    throw new Error(`${embedder.name} gave ${vectors.length} vectors for ${asked.length} texts`);
  }
  let next = 0;
  return passages.map((mine) => mine.flatMap(() => unit(vectors[next++]!)));
}

/** A passage of signs alone may have no direction; zeros are like nothing at all. */
function unit(vector: number[]): number[] {
  return unitVector(vector) ?? vector.map(() => 0);
}
