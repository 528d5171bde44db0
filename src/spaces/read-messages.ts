import type { Db, Trx } from '../db/open-database.ts';
import type { Message } from '../stream/space-event.ts';
import { toMessage } from './post-message.ts';

/** The newest messages of a space (or those before `before`), oldest first. */
export async function latestMessages(
  db: Db | Trx,
  input: { spaceId: string; before?: number | undefined; limit: number },
): Promise<Message[]> {
  let query = db.selectFrom('messages').selectAll().where('space_id', '=', input.spaceId);
  if (input.before !== undefined) query = query.where('seq', '<', input.before);
  const rows = await query.orderBy('seq', 'desc').limit(input.limit).execute();
  return rows.toReversed().map(toMessage);
}
