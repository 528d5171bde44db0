/** Where something was found: a cycle by its number, a memory by its id. */
export type Place = { kind: 'cycle'; cycle: number } | { kind: 'memory'; id: string };

/**
 * One place in a list that is sorted best first. `strength`, from 0 to 1, is how much of what was asked is there;
 * `passage` tells which piece of a cycle's text was meant.
 */
export type Found = { place: Place; strength: number; passage?: number };

/** Whose life. `before`: only cycles with a smaller number, for those who have the later ones before their eyes. */
export type Scope = { orgId: string; agentId: string; before?: number };

/** Larger than any cycle. */
export const EVERY_CYCLE = 2_147_483_647;

export function placeKey(place: Place): string {
  return place.kind === 'cycle' ? `cycle ${place.cycle}` : `memory ${place.id}`;
}

export function toPlace(row: { cycle: number | null; id: string | null }): Place {
  return row.cycle === null ? { kind: 'memory', id: row.id ?? '' } : { kind: 'cycle', cycle: row.cycle };
}
