import type { Db } from '../db/open-database.ts';
import type { Embedder } from './embedder.ts';
import type { Scope } from './found.ts';
import { inboxWords } from './inbox-words.ts';
import { readCycle } from './read-cycle.ts';
import { recall } from './search.ts';

export type RecalledCycle = { cycle: number; date: string; text: string };

// TOP_K. Three whole cycles are what a long question and answer take; more would crowd out the recent ones.
const MOST = 3;
const SEARCHED = 10;

/** Whole cycles, no longer in the window, that are about what waits in the inbox; oldest first. */
export async function recallForInbox(db: Db, embedder: Embedder, scope: Scope): Promise<RecalledCycle[]> {
  const first = await firstCycleInWindow(db, scope.agentId);
  if (first <= 1) return [];
  const query = await inboxWords(db, scope.agentId);
  const found = await recall(db, embedder, { ...scope, before: first, query, limit: SEARCHED });
  const cycles = found.flatMap((item) => item.cycle ?? []).slice(0, MOST);
  const whole = await Promise.all(cycles.toSorted((a, b) => a - b).map((cycle) => readCycle(db, { ...scope, cycle })));
  return whole.filter((cycle) => cycle !== undefined);
}

async function firstCycleInWindow(db: Db, agentId: string): Promise<number> {
  const row = await db
    .selectFrom('consciousness')
    .innerJoin('consciousness_messages as message', (join) =>
      join
        .onRef('message.agent_id', '=', 'consciousness.agent_id')
        .onRef('message.seq', '=', 'consciousness.window_from_seq'),
    )
    .select('message.cycle')
    .where('consciousness.agent_id', '=', agentId)
    .executeTakeFirst();
  return row?.cycle ?? 1;
}
