import type { Db, Trx } from '../db/open-database.ts';

/** The run an agent is in the middle of. Only its newest run can be under way. */
export async function runningRun(db: Db | Trx, orgId: string, agentId: string): Promise<string | undefined> {
  const run = await db
    .selectFrom('runs')
    .select(['id', 'status'])
    .where('agent_id', '=', agentId)
    .where('org_id', '=', orgId)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return run?.status === 'running' ? run.id : undefined;
}
