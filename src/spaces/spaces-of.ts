import type { Db, Trx } from '../db/open-database.ts';
import type { EntityKind } from '../entities/entity-table.ts';

export type SpaceWithMembers = { id: string; name: string; members: { id: string; name: string; kind: EntityKind }[] };

/** The spaces an entity is a member of, with who else is there, in an order that does not change between cycles. */
export async function spacesOf(db: Db | Trx, entityId: string): Promise<SpaceWithMembers[]> {
  const rows = await db
    .selectFrom('members as mine')
    .innerJoin('spaces', 'spaces.id', 'mine.space_id')
    .innerJoin('members', 'members.space_id', 'mine.space_id')
    .innerJoin('entities', 'entities.id', 'members.entity_id')
    .select(['spaces.id', 'spaces.name', 'entities.id as member_id', 'entities.name as member_name', 'entities.kind'])
    .where('mine.entity_id', '=', entityId)
    .where('entities.deleted_at', 'is', null)
    .orderBy('spaces.id')
    .orderBy('entities.id')
    .execute();
  const spaces = new Map<string, SpaceWithMembers>();
  for (const row of rows) {
    const space = spaces.get(row.id) ?? { id: row.id, name: row.name, members: [] };
    space.members.push({ id: row.member_id, name: row.member_name, kind: row.kind });
    spaces.set(row.id, space);
  }
  return [...spaces.values()];
}
