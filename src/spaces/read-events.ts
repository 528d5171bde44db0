import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';

/** One row of a space's log; `json` is its data as Postgres writes it, on one line. */
export type LoggedEvent = { seq: number; type: string; json: string };

export async function readEvents(
  db: Db,
  input: { orgId: string; spaceId: string; after: number; limit: number },
): Promise<LoggedEvent[]> {
  return db
    .selectFrom('space_events')
    .select(['seq', 'type', sql<string>`data::text`.as('json')])
    .where('space_id', '=', input.spaceId)
    .where('org_id', '=', input.orgId)
    .where('seq', '>', input.after)
    .orderBy('seq')
    .limit(input.limit)
    .execute();
}

/** The seq of the newest event, whether or not its row has been pruned since. */
export async function lastEventSeq(db: Db, orgId: string, spaceId: string): Promise<number> {
  const space = await db
    .selectFrom('spaces')
    .select('event_seq')
    .where('id', '=', spaceId)
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return space?.event_seq ?? 0;
}
