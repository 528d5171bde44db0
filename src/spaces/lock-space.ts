import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';

/** Before a space's members or name change: the row is also the log's counter, so changes and log keep one order. */
export async function lockSpace(trx: Trx, orgId: string, spaceId: string): Promise<{ name: string }> {
  const space = await trx
    .selectFrom('spaces')
    .select('name')
    .where('id', '=', spaceId)
    .where('org_id', '=', orgId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (space === undefined) throw new AppError('not-found', `there is no space ${spaceId}`);
  return space;
}
