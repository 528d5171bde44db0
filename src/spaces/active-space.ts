import type { Db, Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';

export type ActiveSpace = { id: string; name: string };

/** Where send_message posts. Kept per agent across cycles; gone when the agent is no longer a member there. */
export async function activeSpace(db: Db | Trx, agentId: string): Promise<ActiveSpace | undefined> {
  return db
    .selectFrom('agents')
    .innerJoin('spaces', 'spaces.id', 'agents.active_space_id')
    .innerJoin('members', (join) =>
      join.onRef('members.space_id', '=', 'spaces.id').onRef('members.entity_id', '=', 'agents.id'),
    )
    .select(['spaces.id', 'spaces.name'])
    .where('agents.id', '=', agentId)
    .executeTakeFirst();
}

export async function requireActiveSpace(db: Db | Trx, agentId: string): Promise<ActiveSpace> {
  const space = await activeSpace(db, agentId);
  if (space === undefined) {
    throw new AppError('no-active-space', 'you are in no space; call enter_space with one of YOUR SPACES first');
  }
  return space;
}

export async function setActiveSpace(trx: Trx, agentId: string, spaceId: string | null): Promise<void> {
  await trx.updateTable('agents').set({ active_space_id: spaceId }).where('id', '=', agentId).execute();
}
