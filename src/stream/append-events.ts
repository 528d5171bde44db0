import { sql } from 'kysely';

import type { Trx } from '../db/open-database.ts';
import type { SpaceEvent } from './space-event.ts';

export const SPACE_CHANNEL = 'wakeful_space';

// pg_notify refuses payloads of 8,000 bytes; an id and a comma are 37.
const SPACES_PER_NOTIFY = 200;

/**
 * Appends to one space's log inside the caller's transaction. The counter row stays locked until commit, so later
 * numbers become visible later, and a reader's cursor never passes a row that commits behind it.
 */
export async function appendEvents(trx: Trx, orgId: string, spaceId: string, events: SpaceEvent[]): Promise<number> {
  const space = await trx
    .updateTable('spaces')
    .set((eb) => ({ event_seq: eb('event_seq', '+', events.length) }))
    .where('id', '=', spaceId)
    .returning('event_seq')
    .executeTakeFirstOrThrow();
  const first = space.event_seq - events.length + 1;
  await trx
    .insertInto('space_events')
    .values(
      events.map((event, index) => ({
        space_id: spaceId,
        seq: first + index,
        org_id: orgId,
        type: event.type,
        data: JSON.stringify(event.data),
        draft_id: event.type === 'message.delta' ? event.data.draftId : null,
      })),
    )
    .execute();
  await notifySpaces(trx, [spaceId]);
  return space.event_seq;
}

/** Rings readers when the transaction commits. Ids only: the rows are the truth, the notification a hint. */
export async function notifySpaces(trx: Trx, spaceIds: string[]): Promise<void> {
  for (let from = 0; from < spaceIds.length; from += SPACES_PER_NOTIFY) {
    const payload = spaceIds.slice(from, from + SPACES_PER_NOTIFY).join(',');
    await sql`select pg_notify(${SPACE_CHANNEL}, ${payload})`.execute(trx);
  }
}
