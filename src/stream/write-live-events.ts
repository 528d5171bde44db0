import { sql } from 'kysely';

import type { Trx } from '../db/open-database.ts';
import { wellFormedJson } from '../db/well-formed.ts';
import { SPACE_CHANNEL, SPACES_PER_NOTIFY } from './append-events.ts';
import type { SpaceEvent } from './space-event.ts';

export type LiveEvent = { orgId: string; spaceId: string; runId: string; event: SpaceEvent };

/**
 * Writes live events of many spaces: drafts, log rows, counters and notice in one statement, behind one that locks.
 * Two, because a statement sees what was committed when it began: only after the lock is that everything.
 */
export async function writeLiveEvents(trx: Trx, batch: LiveEvent[]): Promise<void> {
  // Locked in id order: two batchers that met in opposite order would deadlock.
  const spaceIds = [...new Set(batch.map((item) => item.spaceId))].toSorted();
  await sql`select from spaces where id = any(${spaceIds}::uuid[]) order by id for no key update`.execute(trx);
  // A draft that a newer attempt has discarded is over: what a zombie still sends for it is refused. So is all that is
  // sent for an erased agent, and a delta whose draft never began.
  await sql`
    with given as (
      select * from unnest(
        ${batch.map((item) => item.spaceId)}::uuid[], ${batch.map((item) => item.orgId)}::uuid[],
        ${batch.map((item) => item.runId)}::uuid[], ${batch.map((item) => item.event.type)}::text[],
        ${batch.map((item) => JSON.stringify(wellFormedJson(item.event.data)))}::jsonb[],
        ${batch.map((item) => draftOf(item.event) ?? null)}::uuid[]
      ) with ordinality as given (space_id, org_id, run_id, type, data, draft_id, place)
    ), alive as (
      select * from given where not exists (
        select from entities where deleted_at is not null
          and entities.id = coalesce(given.data ->> 'senderId', given.data ->> 'agentId')::uuid)
    ), kept as (
      select given.*, spaces.event_seq + row_number() over (partition by spaces.id order by place) as seq
      from alive as given join spaces on spaces.id = given.space_id
      where not exists (select from drafts where drafts.id = given.draft_id and drafts.ended_at is not null)
        and (given.type <> 'message.delta' or exists (select from drafts where drafts.id = given.draft_id)
          or exists (select from alive where alive.draft_id = given.draft_id and alive.type = 'message.started'))
    ), begun as (
      insert into drafts (id, org_id, space_id, run_id, attempt)
      select draft_id, org_id, space_id, run_id, (data ->> 'attempt')::integer from kept where type = 'message.started'
    ), logged as (
      insert into space_events (space_id, seq, org_id, type, data, draft_id)
      select space_id, seq, org_id, type, data, case when type = 'message.delta' then draft_id end from kept
    ), counted as (
      update spaces set event_seq = newest.seq
      from (select space_id, max(seq) as seq from kept group by space_id) as newest
      where spaces.id = newest.space_id
      returning spaces.id
    )
    select pg_notify(${SPACE_CHANNEL}, string_agg(id::text, ','))
    from (select id, (row_number() over () - 1) / ${SPACES_PER_NOTIFY}::integer as part from counted) as told
    group by part`.execute(trx);
}

function draftOf(event: SpaceEvent): string | undefined {
  return event.type === 'message.started' || event.type === 'message.delta' ? event.data.draftId : undefined;
}
