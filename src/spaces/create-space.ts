import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { requireEntities } from '../entities/find-entity.ts';
import { appendEvents } from '../stream/append-events.ts';
import type { Space } from './get-space.ts';
import { toSpaceSummary } from './list-spaces.ts';

export async function createSpace(
  trx: Trx,
  input: { orgId: string; name: string; memberIds?: string[] },
): Promise<Space> {
  const members = await requireEntities(trx, input.orgId, [...new Set(input.memberIds)]);
  const row = await trx
    .insertInto('spaces')
    .values({ id: newId(), org_id: input.orgId, name: input.name })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (members.length > 0) {
    const rows = members.map((member) => ({ space_id: row.id, entity_id: member.id, org_id: input.orgId }));
    await trx.insertInto('members').values(rows).execute();
    const added = members.map(({ id, name, kind }) => ({
      type: 'member.added' as const,
      data: { entityId: id, name, kind },
    }));
    await appendEvents(trx, input.orgId, row.id, added);
  }
  return { ...toSpaceSummary(row), members };
}
