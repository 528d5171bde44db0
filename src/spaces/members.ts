import type { Trx } from '../db/open-database.ts';
import { requireEntity } from '../entities/find-entity.ts';
import { appendEvents } from '../stream/append-events.ts';
import { lockSpace } from './lock-space.ts';

type Membership = { orgId: string; spaceId: string; entityId: string };

/** Done twice, it happens once and is told once. */
export async function addMember(trx: Trx, { orgId, spaceId, entityId }: Membership): Promise<void> {
  await lockSpace(trx, orgId, spaceId);
  const { name, kind } = await requireEntity(trx, orgId, entityId);
  const added = await trx
    .insertInto('members')
    .values({ space_id: spaceId, entity_id: entityId, org_id: orgId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows === 0n) return;
  await appendEvents(trx, orgId, spaceId, [{ type: 'member.added', data: { entityId, name, kind } }]);
}

/** An agent that was speaking there has no active space afterwards. */
export async function removeMember(trx: Trx, { orgId, spaceId, entityId }: Membership): Promise<void> {
  await lockSpace(trx, orgId, spaceId);
  const { name, kind } = await requireEntity(trx, orgId, entityId);
  const removed = await trx
    .deleteFrom('members')
    .where('space_id', '=', spaceId)
    .where('entity_id', '=', entityId)
    .executeTakeFirst();
  if (removed.numDeletedRows === 0n) return;
  await trx
    .updateTable('agents')
    .set({ active_space_id: null })
    .where('id', '=', entityId)
    .where('active_space_id', '=', spaceId)
    .execute();
  await appendEvents(trx, orgId, spaceId, [{ type: 'member.removed', data: { entityId, name, kind } }]);
}

/** From every space, in id order: whoever locks several spaces does it in this order, and nobody waits in a circle. */
export async function leaveAllSpaces(trx: Trx, orgId: string, entityId: string): Promise<void> {
  const rows = await trx
    .selectFrom('members')
    .select('space_id')
    .where('entity_id', '=', entityId)
    .where('org_id', '=', orgId)
    .orderBy('space_id')
    .execute();
  for (const row of rows) await removeMember(trx, { orgId, spaceId: row.space_id, entityId });
}
