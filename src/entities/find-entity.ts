import type { Db, Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import type { EntityKind } from './entity-table.ts';

export type Entity = { id: string; name: string; kind: EntityKind };

/** A living human or agent of this organisation; another organisation's is as unknown as one that never was. */
export async function requireEntity(db: Db | Trx, orgId: string, entityId: string): Promise<Entity> {
  const [entity] = await requireEntities(db, orgId, [entityId]);
  return entity!;
}

export async function requireEntities(db: Db | Trx, orgId: string, entityIds: string[]): Promise<Entity[]> {
  if (entityIds.length === 0) return [];
  const entities = await db
    .selectFrom('entities')
    .select(['id', 'name', 'kind'])
    .where('org_id', '=', orgId)
    .where('id', 'in', entityIds)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const missing = entityIds.find((id) => !entities.some((entity) => entity.id === id));
  if (missing !== undefined) throw new AppError('not-found', `there is no human or agent ${missing}`);
  return entities;
}
