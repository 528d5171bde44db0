import { placeKey, type Found } from './found.ts';

// The usual constant of reciprocal rank fusion: a first place counts little more than a second, so that agreement of
// the two lists wins over either one's favourite.
const SMOOTHING = 60;

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
