import { cycleOfChange } from '../agents/cycle-of-change.ts';
import type { Trx } from '../db/open-database.ts';
import type { GoalOwner } from './goal.ts';

type Change = { goal_id: string; description: string | null; status: string | null };

/** Keeps what a goal was after each cycle. */
export async function noteGoalChange(
  trx: Trx,
  owner: GoalOwner,
  change: Change,
  runId: string | undefined,
): Promise<void> {
  const cycle = await cycleOfChange(trx, owner.agentId, runId);
  await trx
    .insertInto('goal_changes')
    .values({ org_id: owner.orgId, agent_id: owner.agentId, cycle, ...change })
    .execute();
}
