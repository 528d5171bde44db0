import { lockAgent } from '../agents/lock-agent.ts';
import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { toGoal, type Goal, type GoalOwner } from './goal.ts';
import { noteGoalChange } from './note-goal-change.ts';

// Who pursues more pursues none; ended ones can be deleted.
const MOST_GOALS = 200;

export type GoalEntry = { id: string; description?: string | undefined; status?: string | undefined };

/** A new goal needs its description; of a known one, what is left out stays as it is. */
export async function setGoals(
  trx: Trx,
  owner: GoalOwner,
  entries: GoalEntry[],
  runId: string | undefined,
): Promise<Goal[]> {
  await lockAgent(trx, owner.orgId, owner.agentId);
  const set: Goal[] = [];
  for (const entry of entries) set.push(await setGoal(trx, owner, entry, runId));
  const { count } = await trx
    .selectFrom('goals')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('agent_id', '=', owner.agentId)
    .executeTakeFirstOrThrow();
  if (count > MOST_GOALS) {
    throw new AppError(
      'conflict',
      `there is room for ${MOST_GOALS} goals; delete those that are done or dropped first`,
    );
  }
  return set;
}

async function setGoal(trx: Trx, owner: GoalOwner, entry: GoalEntry, runId: string | undefined): Promise<Goal> {
  const { id } = entry;
  const found = await trx
    .selectFrom('goals')
    .selectAll()
    .where('agent_id', '=', owner.agentId)
    .where('id', '=', id)
    .executeTakeFirst();
  const description = entry.description ?? found?.description;
  if (description === undefined) {
    const message = `goal "${id}" is new; give it a description`;
    throw new AppError('invalid-request', message, {
      fields: [{ path: 'description', message: 'is needed for a new goal' }],
    });
  }
  const status = entry.status ?? found?.status ?? 'active';
  if (found?.description === description && found.status === status) return toGoal(found);
  const row = await trx
    .insertInto('goals')
    .values({ agent_id: owner.agentId, id, org_id: owner.orgId, description, status })
    .onConflict((conflict) =>
      conflict.columns(['agent_id', 'id']).doUpdateSet({ description, status, updated_at: new Date() }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  await noteGoalChange(trx, owner, { goal_id: id, description, status }, runId);
  return toGoal(row);
}
