import type { Trx } from '../db/open-database.ts';
import { appendEvents } from '../stream/append-events.ts';
import { lockSpace } from './lock-space.ts';

/** Readers are told only when the name really changed. */
export async function renameSpace(trx: Trx, input: { orgId: string; spaceId: string; name: string }): Promise<void> {
  const { orgId, spaceId, name } = input;
  const space = await lockSpace(trx, orgId, spaceId);
  if (space.name === name) return;
  await trx.updateTable('spaces').set({ name }).where('id', '=', spaceId).execute();
  await appendEvents(trx, orgId, spaceId, [{ type: 'space.updated', data: { spaceId, name } }]);
}
