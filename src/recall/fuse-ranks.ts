import { placeKey, type Found } from './found.ts';

// Small, so that either list's favourites are always among the first five, and agreement decides the rest. With the usual
// 60, two places in the thirties beat a first one: on the corpus of `npm run bench:recall` 79 of 100 answers were among
// the first five then, 81 with 3, 80 with 10; of names and numbers, which words alone always find, 12 and 13 of 13.
const SMOOTHING = 3;

export type Fused = Found & { score: number };

/** Several lists, each sorted best first, as one. Only ranks count: scores of different searches cannot be compared. */
export function fuseRanks(lists: Found[][]): Fused[] {
  const fused = new Map<string, Fused>();
  for (const list of lists) {
    for (const [rank, found] of list.entries()) {
      const key = placeKey(found.place);
      const earlier = fused.get(key);
      fused.set(key, { ...found, ...earlier, score: (earlier?.score ?? 0) + found.strength / (SMOOTHING + rank + 1) });
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
