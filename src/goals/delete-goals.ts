import { lockAgent } from '../agents/lock-agent.ts';
import type { Trx } from '../db/open-database.ts';
import type { GoalOwner } from './goal.ts';
import { noteGoalChange } from './note-goal-change.ts';

/** Returns the ids that were there. */
export async function deleteGoals(
  trx: Trx,
  owner: GoalOwner,
  ids: string[],
  runId: string | undefined,
): Promise<string[]> {
  await lockAgent(trx, owner.orgId, owner.agentId);
  const rows = await trx
    .deleteFrom('goals')
    .where('org_id', '=', owner.orgId)
    .where('agent_id', '=', owner.agentId)
    .where('id', 'in', ids)
    .returning('id')
    .execute();
  for (const { id } of rows) {
    await noteGoalChange(trx, owner, { goal_id: id, description: null, status: null }, runId);
  }
  return rows.map((row) => row.id);
}
