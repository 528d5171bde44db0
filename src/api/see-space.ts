import type { Db, Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { getSpace, type Space } from '../spaces/get-space.ts';
import type { OrgCaller } from './caller.ts';

/**
 * The one question before anything is read from or written to a space. An unknown space, another organisation's and
 * one the caller is not in are the same 404: the answer must not tell that something is there.
 */
export async function seeSpace(db: Db | Trx, caller: OrgCaller, spaceId: string): Promise<Space> {
  const space = await getSpace(db, caller.orgId, spaceId);
  const visible = caller.role === 'admin' || space?.members.some((member) => member.id === caller.entityId);
  if (space === undefined || visible !== true) throw new AppError('not-found', `there is no space ${spaceId}`);
  return space;
}
