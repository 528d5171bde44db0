import type { Db, Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';

const KEPT_HOURS = 24;

export type Repeat = { orgId: string; caller: string; key: string };

/**
 * Takes an idempotency key for this transaction. A request that holds the same key right now is waited for: the
 * insert blocks on its row until it commits (then its answer is returned) or rolls back (then the key is ours).
 */
export async function claimRepeat(
  trx: Trx,
  repeat: Repeat,
  requestHash: Buffer,
): Promise<{ status: number; answer: string } | undefined> {
  const row = { org_id: repeat.orgId, caller: repeat.caller, key: repeat.key };
  const claimed = await trx
    .insertInto('idempotency_keys')
    .values({ ...row, request_hash: requestHash })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (claimed !== undefined) return undefined;

  const earlier = await trx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'answer'])
    .where((eb) => eb.and(row))
    .executeTakeFirst();
  if (earlier?.status === null || earlier?.status === undefined || earlier.answer === null) {
    throw new AppError('conflict', 'the Idempotency-Key ran out while the request waited; send it again');
  }
  if (!earlier.request_hash.equals(requestHash)) {
    throw new AppError('idempotency-mismatch', 'this Idempotency-Key was used for another request; use a new one');
  }
  return { status: earlier.status, answer: earlier.answer.text };
}

/** Kept as text inside jsonb: jsonb reorders fields, and the same request gets the same bytes. */
export async function keepAnswer(trx: Trx, repeat: Repeat, given: { status: number; answer: string }): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ status: given.status, answer: JSON.stringify({ text: given.answer }) })
    .where((eb) => eb.and({ org_id: repeat.orgId, caller: repeat.caller, key: repeat.key }))
    .execute();
}

export async function forgetOldRepeats(db: Db): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', new Date(Date.now() - KEPT_HOURS * 3_600_000))
    .execute();
}
