import type { Db } from '../db/open-database.ts';

export type FoundKey =
  | { role: 'admin'; keyId: string; orgId: string }
  | { role: 'entity'; keyId: string; orgId: string; entityId: string };

/** The key with this hash, unless it was revoked or its entity is gone. */
export async function findKey(db: Db, hash: Buffer): Promise<FoundKey | undefined> {
  const row = await liveKeys(db).where('api_keys.hash', '=', hash).executeTakeFirst();
  if (row === undefined) return undefined;
  const { id: keyId, org_id: orgId, entity_id: entityId } = row;
  return entityId === null ? { role: 'admin', keyId, orgId } : { role: 'entity', keyId, orgId, entityId };
}

export async function isKeyLive(db: Db, keyId: string): Promise<boolean> {
  return (await liveKeys(db).where('api_keys.id', '=', keyId).executeTakeFirst()) !== undefined;
}

function liveKeys(db: Db) {
  return db
    .selectFrom('api_keys')
    .leftJoin('entities', 'entities.id', 'api_keys.entity_id')
    .select(['api_keys.id', 'api_keys.org_id', 'api_keys.entity_id'])
    .where('api_keys.revoked_at', 'is', null)
    .where('entities.deleted_at', 'is', null);
}
