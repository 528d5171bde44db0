import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';

/** Ends a key at once; a second time changes nothing. The last admin key stays: nobody could ever make another. */
export async function revokeKey(trx: Trx, orgId: string, keyId: string): Promise<void> {
  // All admin keys are locked, so that two admins who revoke each other's key at once do not both succeed.
  const admins = await trx
    .selectFrom('api_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'admin')
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  if (admins.length === 1 && admins[0]!.id === keyId) {
    throw new AppError('conflict', `key ${keyId} is the last admin key of its organisation; make another one first`);
  }
  const found = await trx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', keyId)
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  if (found === undefined) throw new AppError('not-found', `there is no key ${keyId}`);
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** The keys of an entity that is leaving for good. */
export async function revokeKeysOf(trx: Trx, orgId: string, entityId: string): Promise<void> {
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('org_id', '=', orgId)
    .where('entity_id', '=', entityId)
    .where('revoked_at', 'is', null)
    .execute();
}
