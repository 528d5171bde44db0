import type { Db } from '../db/open-database.ts';
import { exportRows } from './export-rows.ts';
import { exportRuns } from './export-runs.ts';
import { getAgent } from './agent.ts';

/** Raised when the shape of the document changes. */
const EXPORT_VERSION = 1;

/**
 * Everything of one agent as the text of one JSON document, piece by piece: a life of any length takes the memory of a
 * page. Fails before its first piece when there is no such agent.
 */
export async function exportAgent(db: Db, orgId: string, agentId: string): Promise<AsyncGenerator<string>> {
  const agent = await getAgent(db, orgId, agentId);
  const lived = await db
    .selectFrom('consciousness')
    .select('cycle_count')
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  const mine = { orgId, agentId };
  return (async function* () {
    const head = { version: EXPORT_VERSION, exportedAt: new Date(), cycleCount: lived?.cycle_count ?? 0, agent };
    yield JSON.stringify(head).slice(0, -1); // the lists follow inside the same object
    yield* list('consciousness', exportRows(db, 'consciousness_messages', mine));
    yield* list('compactions', exportRows(db, 'compactions', mine));
    yield* list('cycleTexts', exportRows(db, 'cycle_texts', mine));
    yield* list('prompts', exportRows(db, 'prompts', mine));
    yield* list('runs', exportRuns(db, mine));
    yield* list('skips', exportRows(db, 'skips', mine));
    yield* list('inbox', exportRows(db, 'inbox_events', mine));
    yield* list('memories', exportRows(db, 'memories', mine));
    yield* list('memoryChanges', exportRows(db, 'memory_changes', mine));
    yield* list('goals', exportRows(db, 'goals', mine));
    yield* list('goalChanges', exportRows(db, 'goal_changes', mine));
    yield* list('plans', exportRows(db, 'plans', mine));
    yield* list('messages', exportRows(db, 'messages', mine));
    yield '}\n';
  })();
}

async function* list(name: string, pages: AsyncGenerator<object[]>): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}:[`;
  let first = true;
  for await (const page of pages) {
    yield (first ? '\n' : ',\n') + page.map((item) => JSON.stringify(item)).join(',\n');
    first = false;
  }
  yield ']';
}
