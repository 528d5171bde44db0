import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { toHuman, type Human } from './list-humans.ts';

export async function createHuman(trx: Trx, orgId: string, name: string): Promise<Human> {
  const row = await trx
    .insertInto('entities')
    .values({ id: newId(), org_id: orgId, kind: 'human', name })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toHuman(row);
}
