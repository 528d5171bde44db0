import type { Db, Trx } from '../db/open-database.ts';
import type { Entity } from '../entities/find-entity.ts';
import { toSpaceSummary, type SpaceSummary } from './list-spaces.ts';

export type Space = SpaceSummary & { members: Entity[] };

/** Undefined when the organisation has no such space. */
export async function getSpace(db: Db | Trx, orgId: string, spaceId: string): Promise<Space | undefined> {
  const row = await db
    .selectFrom('spaces')
    .select(['id', 'name', 'created_at'])
    .where('id', '=', spaceId)
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const members = await db
    .selectFrom('members')
    .innerJoin('entities', 'entities.id', 'members.entity_id')
    .select(['entities.id', 'entities.name', 'entities.kind'])
    .where('members.space_id', '=', spaceId)
    .where('entities.deleted_at', 'is', null)
    .orderBy('members.joined_at')
    .orderBy('entities.id')
    .execute();
  return { ...toSpaceSummary(row), members };
}
