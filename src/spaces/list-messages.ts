import type { Db } from '../db/open-database.ts';
import type { Message } from '../stream/space-event.ts';
import { toMessage } from './post-message.ts';

export type MessageRange = { limit: number; after?: number; before?: number };

/** In seq order. With `before` alone the newest of them, to read a conversation backwards; else from `after` on. */
export async function listMessages(
  db: Db,
  input: { orgId: string; spaceId: string },
  range: MessageRange,
): Promise<{ items: Message[]; next: number | null }> {
  const { after, before, limit } = range;
  const backwards = before !== undefined && after === undefined;
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('space_id', '=', input.spaceId)
    .where('org_id', '=', input.orgId)
    .$if(after !== undefined, (query) => query.where('seq', '>', after!))
    .$if(before !== undefined, (query) => query.where('seq', '<', before!))
    .orderBy('seq', backwards ? 'desc' : 'asc')
    .limit(limit + 1)
    .execute();
  const found = rows.slice(0, limit).map(toMessage);
  const edge = rows.length > limit ? (found.at(-1)?.seq ?? null) : null;
  return { items: backwards ? found.toReversed() : found, next: edge };
}
