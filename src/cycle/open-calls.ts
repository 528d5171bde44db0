import type { Db, Trx } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import type { ToolCallStatus } from './cycle-table.ts';

export const OPEN_STATUSES = ['waiting', 'pending'] as const;

/** A tool call as whoever answers it sees it. */
export type OpenCall = {
  id: string;
  runId: string;
  agentId: string;
  name: string;
  input: unknown;
  status: ToolCallStatus;
  startedAt: string;
};

/** Calls that nobody has answered yet, oldest first. */
export async function listOpenCalls(
  db: Db,
  input: { orgId: string; status?: (typeof OPEN_STATUSES)[number] | undefined },
  page: PageRequest,
): Promise<Page<OpenCall>> {
  const rows = await selectCalls(db, input.orgId)
    .where('tool_calls.status', 'in', input.status === undefined ? OPEN_STATUSES : [input.status])
    .$if(page.afterId !== undefined, (query) => query.where('tool_calls.id', '>', page.afterId!))
    .orderBy('tool_calls.id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toOpenCall);
}

/** Calls of living agents. */
export function selectCalls(db: Db | Trx, orgId: string) {
  return db
    .selectFrom('tool_calls')
    .innerJoin('runs', 'runs.id', 'tool_calls.run_id')
    .innerJoin('entities as agent', 'agent.id', 'runs.agent_id')
    .select([
      'tool_calls.id',
      'tool_calls.run_id',
      'runs.agent_id',
      'tool_calls.name',
      'tool_calls.input',
      'tool_calls.status',
      'tool_calls.started_at',
    ])
    .where('tool_calls.org_id', '=', orgId)
    .where('agent.deleted_at', 'is', null);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectCalls>['executeTakeFirstOrThrow']>>;

export function toOpenCall(row: Row): OpenCall {
  return {
    id: row.id,
    runId: row.run_id,
    agentId: row.agent_id,
    name: row.name,
    input: row.input,
    status: row.status,
    startedAt: row.started_at.toISOString(),
  };
}
