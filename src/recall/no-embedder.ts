import type { Embedder } from './embedder.ts';

/** For those who want no vectors: recall finds by words alone. */
export function noEmbedder(): Embedder {
  return {
    name: 'none',
    note: 'recall searches by words alone',
    passage: { characters: 240, most: 12, labels: false },
    trust: 1,
    floor: 0,
    batch: 0,
    rest: 0,
    embed: async () => [],
    close: async () => undefined,
  };
}
