import type { Trx } from '../db/open-database.ts';

/**
 * The cycle after which a change to an agent's memories or goals holds: the one under way for what the agent does in
 * it, the last one kept for what a person does. A run with effects is always kept, so no change is left behind a
 * cycle that never came.
 */
export async function cycleOfChange(trx: Trx, agentId: string, runId: string | undefined): Promise<number> {
  if (runId !== undefined) {
    const run = await trx.selectFrom('runs').select('cycle').where('id', '=', runId).executeTakeFirstOrThrow();
    return run.cycle;
  }
  const head = await trx
    .selectFrom('consciousness')
    .select('cycle_count')
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  return head?.cycle_count ?? 0;
}
