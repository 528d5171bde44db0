import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { AppError } from '../errors.ts';
import type { ContextFigures } from './context-guard.ts';
import type { RunStatus } from './cycle-table.ts';

/** The audit record of one think cycle. */
export type RunSummary = {
  id: string;
  agentId: string;
  cycle: number;
  status: RunStatus;
  model: string;
  agentVersion: number;
  eventCount: number;
  stopReason: string | null;
  failures: number;
  error: string | null;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** How full the model's window was at the last step, in estimated tokens. */
  context: ContextFigures | null;
  startedAt: string;
  endedAt: string | null;
};

/** Newest first. */
export async function listRuns(db: Db, orgId: string, agentId: string, page: PageRequest): Promise<Page<RunSummary>> {
  const { afterId } = page;
  if (afterId !== undefined) await requireCursor(db, orgId, agentId, afterId);
  const rows = await selectRuns(db, orgId)
    .where('agent_id', '=', agentId)
    .$if(afterId !== undefined, (query) =>
      query.where(sql<boolean>`(started_at, id) < (select started_at, id from runs where id = ${afterId!}::uuid)`),
    )
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toRunSummary);
}

async function requireCursor(db: Db, orgId: string, agentId: string, runId: string): Promise<void> {
  const row = await selectRuns(db, orgId).where('id', '=', runId).where('agent_id', '=', agentId).executeTakeFirst();
  if (row !== undefined) return;
  const fields = [{ path: 'cursor', message: 'is not a cursor of this list' }];
  throw new AppError('invalid-request', 'the query is wrong in cursor', { fields });
}

export function selectRuns(db: Db, orgId: string) {
  return db
    .selectFrom('runs')
    .select([
      'id',
      'agent_id',
      'cycle',
      'status',
      'model',
      'agent_version',
      'event_count',
      'stop_reason',
      'failures',
      'error',
      'input_tokens',
      'output_tokens',
      'cost_usd',
      'context',
      'started_at',
      'ended_at',
    ])
    .where('org_id', '=', orgId);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>;

export function toRunSummary(row: Row): RunSummary {
  return {
    id: row.id,
    agentId: row.agent_id,
    cycle: row.cycle,
    status: row.status,
    model: row.model,
    agentVersion: row.agent_version,
    eventCount: row.event_count,
    stopReason: row.stop_reason,
    failures: row.failures,
    error: row.error,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    costUsd: row.cost_usd,
    context: row.context,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
