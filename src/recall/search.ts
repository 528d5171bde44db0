import type { Db, Trx } from '../db/open-database.ts';
import type { Embedder } from './embedder.ts';
import { placeKey, type Found, type Scope } from './found.ts';
import { fuseRanks, type Fused } from './fuse-ranks.ts';
import { passagesOf, type PassageShape } from './passages.ts';
import { questionVector, toQuestion } from './question-vector.ts';
import { searchVectors } from './search-vectors.ts';
import { searchWords } from './search-words.ts';
import { snippet } from './snippet.ts';

export type SearchMode = 'text' | 'vector' | 'both';

export type Recalled = {
  kind: 'cycle' | 'memory';
  /** The number of the cycle; null for a memory. */
  cycle: number | null;
  /** The key of the memory; null for a cycle. */
  key: string | null;
  date: string;
  snippet: string;
  /** The agent's closing words of the cycle; empty for a memory. */
  summary: string;
  score: number;
};

// Each search brings this many for every one that is wanted: what is second in both lists beats what is first in one.
const BREADTH = 10;

/** What an agent lived through and remembers about something, best first. Never outside its organisation and itself. */
export async function recall(
  db: Db | Trx,
  embedder: Embedder,
  input: Scope & { query: string; limit: number; mode?: SearchMode },
): Promise<Recalled[]> {
  const { orgId, agentId, before } = input;
  const scope = { orgId, agentId, ...(before !== undefined && { before }) };
  const query = toQuestion(input.query);
  if (query === '') return [];
  const { mode = 'both' } = input;
  const breadth = Math.max(50, input.limit * BREADTH);
  const vector = mode === 'text' ? undefined : await questionVector(embedder, query);
  // One after the other: inside a tool both run on one transaction.
  const lists: Found[][] = [];
  if (vector !== undefined) lists.push(await searchVectors(db, scope, { vector, embedder }, breadth));
  if (mode !== 'vector') lists.push(await searchWords(db, scope, query, breadth));
  return describe(db, scope, fuseRanks(lists).slice(0, input.limit), query, embedder.passage);
}

async function describe(
  db: Db | Trx,
  { orgId, agentId }: Scope,
  fused: Fused[],
  query: string,
  shape: PassageShape,
): Promise<Recalled[]> {
  const cycles = fused.flatMap(({ place }) => (place.kind === 'cycle' ? [place.cycle] : []));
  const memories = fused.flatMap(({ place }) => (place.kind === 'memory' ? [place.id] : []));
  const [texts, facts] = [
    cycles.length === 0
      ? []
      : await db
          .selectFrom('cycle_texts')
          .select(['cycle', 'text', 'summary', 'created_at'])
          .where('agent_id', '=', agentId)
          .where('org_id', '=', orgId)
          .where('cycle', 'in', cycles)
          .execute(),
    memories.length === 0
      ? []
      : await db
          .selectFrom('memories')
          .select(['id', 'key', 'value', 'updated_at'])
          .where('org_id', '=', orgId)
          .where('id', 'in', memories)
          .execute(),
  ];
  const described = new Map<string, (found: Fused) => Omit<Recalled, 'score'>>([
    ...texts.map((row): [string, (found: Fused) => Omit<Recalled, 'score'>] => [
      placeKey({ kind: 'cycle', cycle: row.cycle }),
      ({ passage }) => ({
        kind: 'cycle',
        cycle: row.cycle,
        key: null,
        date: row.created_at.toISOString(),
        snippet: snippet(passagesOf(row.text, shape), query, passage),
        summary: row.summary,
      }),
    ]),
    ...facts.map((row): [string, (found: Fused) => Omit<Recalled, 'score'>] => [
      placeKey({ kind: 'memory', id: row.id }),
      () => ({
        kind: 'memory',
        cycle: null,
        key: row.key,
        date: row.updated_at.toISOString(),
        snippet: snippet([row.value], query),
        summary: '',
      }),
    ]),
  ]);
  return fused.flatMap((found) => {
    const describeIt = described.get(placeKey(found.place)); // gone when it was erased a moment ago
    return describeIt === undefined ? [] : [{ ...describeIt(found), score: Number(found.score.toFixed(5)) }];
  });
}
