import type { Db, Trx } from '../db/open-database.ts';

export async function isMember(db: Db | Trx, spaceId: string, entityId: string): Promise<boolean> {
  const row = await db
    .selectFrom('members')
    .select('entity_id')
    .where('space_id', '=', spaceId)
    .where('entity_id', '=', entityId)
    .executeTakeFirst();
  return row !== undefined;
}
