import { sql } from 'kysely';

import type { Trx } from '../db/open-database.ts';
import { wellFormedJson } from '../db/well-formed.ts';
import type { SpaceEvent } from './space-event.ts';

export const SPACE_CHANNEL = 'wakeful_space';

// pg_notify refuses payloads of 8,000 bytes; an id and a comma are 37.
export const SPACES_PER_NOTIFY = 200;

/**
 * Appends to one space's log inside the caller's transaction. The counter row stays locked until commit, so later
 * numbers become visible later, and a reader's cursor never passes a row that commits behind it. Readers are rung when
 * the transaction commits, with the id only: the rows are the truth, the notification a hint.
 */
export async function appendEvents(trx: Trx, orgId: string, spaceId: string, events: SpaceEvent[]): Promise<number> {
  // One statement: four in a row cost a POST and every reply two more milliseconds each.
  const { rows } = await sql<{ event_seq: number }>`
    with space as (
      update spaces set event_seq = event_seq + ${events.length}::integer where id = ${spaceId}::uuid returning event_seq
    ), logged as (
      insert into space_events (space_id, seq, org_id, type, data, draft_id)
      select ${spaceId}::uuid, event_seq - ${events.length}::integer + place, ${orgId}::uuid, type, data, draft_id
      from space, unnest(
        ${events.map((event) => event.type)}::text[], ${events.map((event) => JSON.stringify(wellFormedJson(event.data)))}::jsonb[],
        ${events.map((event) => (event.type === 'message.delta' ? event.data.draftId : null))}::uuid[]
      ) with ordinality as given (type, data, draft_id, place)
    )
    select event_seq, pg_notify(${SPACE_CHANNEL}, ${spaceId}) from space`.execute(trx);
  const [space] = rows;
  if (space === undefined) throw new Error(`there is no space ${spaceId} to log in`);
  return space.event_seq;
}
