import type { Config } from '../config.ts';
import { hashedEmbedder } from './hashed-embedder.ts';
import type { PassageShape } from './passages.ts';
import { providerEmbedder } from './provider-embedder.ts';
import { sentenceEmbedder, sentenceModelIsInstalled } from './sentence-embedder.ts';

export type Embedder = {
  /** Kept with every vector: only vectors of the same embedder can be compared. */
  name: string;
  /** One sentence for people: what it is and what it needs. */
  note: string;
  passage: PassageShape;
  /** The embedding job rests this many times as long as it worked: thinking needs the processor more. */
  rest: number;
  embed(texts: string[], signal?: AbortSignal): Promise<number[][]>;
  close(): Promise<void>;
};

/** This text will never get a vector; trying again is of no use. */
export class EmbeddingRefused extends Error {}

export function createEmbedder(config: Config): Embedder {
  if (config.embeddingModel !== undefined) return providerEmbedder(config, config.embeddingModel);
  return sentenceModelIsInstalled() ? sentenceEmbedder() : hashedEmbedder();
}
