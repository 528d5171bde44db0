import { randomBytes } from 'node:crypto';

import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { hashKey } from './hash-key.ts';

export function newKey(): string {
  return `wk_${randomBytes(32).toString('base64url')}`;
}

/** Registers a key for its organisation, or for one entity in it. The key itself is returned here and never again. */
export async function createKey(
  trx: Trx,
  input: { orgId: string; entityId?: string; key?: string },
): Promise<{ id: string; key: string }> {
  const key = input.key ?? newKey();
  const id = newId();
  await trx
    .insertInto('api_keys')
    .values({
      id,
      org_id: input.orgId,
      role: input.entityId === undefined ? 'admin' : 'entity',
      entity_id: input.entityId ?? null,
      hash: hashKey(key),
      // Enough to tell keys apart in a list; 200 bits of a made key stay unknown.
      hint: `…${key.slice(-4)}`,
    })
    .execute();
  return { id, key };
}
