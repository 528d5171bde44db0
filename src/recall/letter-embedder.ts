import type { Embedder } from './embedder.ts';

const DIMENSIONS = 384;
const SHORTEST_GRAM = 3;
const LONGEST_GRAM = 5;
// Each group goes to several places: with one, most numbers of a short text are zero, and their signs say nothing.
const SPREAD = 16;

/** Vectors of letter groups: words that look alike come close, words that mean alike do not. Needs nothing at all. */
export function letterEmbedder(): Embedder {
  return {
    name: 'local:letters',
    note: 'built in, no network: compares letter groups, not meanings',
    passage: { characters: 240, most: 12, labels: false },
    trust: 0.1,
    floor: 0.2,
    batch: 50,
    rest: 0,
    embed: async (texts) => texts.map(letterVector),
    close: async () => undefined,
  };
}

export function letterVector(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const groups = letterGroups(`^${word}$`);
    // Longer words say more; the weight of a word is shared by its groups, so that long ones do not win by number.
    const weight = (Math.min(word.length, 8) - 0.5) / Math.sqrt(groups.length);
    for (const group of groups) {
      for (let spread = 0; spread < SPREAD; spread += 1) {
        const hash = hashOf(group, spread);
        vector[hash % DIMENSIONS]! += hash >>> 31 === 1 ? weight : -weight;
      }
    }
  }
  return vector;
}

function letterGroups(word: string): string[] {
  const groups = [word];
  for (let length = SHORTEST_GRAM; length <= LONGEST_GRAM; length += 1) {
    for (let from = 0; from + length <= word.length; from += 1) groups.push(word.slice(from, from + length));
  }
  return groups;
}

/** FNV-1a with a last stir: its high bits decide the sign. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
