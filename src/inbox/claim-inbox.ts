import type { Db, Trx } from '../db/open-database.ts';
import type { InboxEvent } from './inbox-event.ts';
import { selectInboxEvents, toInboxEvent } from './inbox-event.ts';

// A cycle of fifty chat messages still fits the smallest window we meet; the rest is the next cycle, at once.
const CLAIM_LIMIT = 50;

/** Hands a new run its events, oldest first. */
export async function claimInbox(trx: Trx, agentId: string, runId: string): Promise<InboxEvent[]> {
  const { numUpdatedRows } = await trx
    .updateTable('inbox_events')
    .set({ status: 'claimed', run_id: runId })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('inbox_events')
        .select('id')
        .where('agent_id', '=', agentId)
        .where('status', '=', 'pending')
        .orderBy('position')
        .limit(CLAIM_LIMIT)
        .forUpdate(),
    )
    .executeTakeFirst();
  return numUpdatedRows === 0n ? [] : firstEventsOf(trx, runId);
}

/** What a run began with; others may have joined it later. */
export async function firstEventsOf(db: Db | Trx, runId: string): Promise<InboxEvent[]> {
  const events = await selectInboxEvents(db)
    .where('inbox_events.run_id', '=', runId)
    .where('inbox_events.joined_step', 'is', null)
    .orderBy('inbox_events.position')
    .execute();
  return events.map(toInboxEvent);
}

export async function eventIdsOf(db: Db | Trx, runId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('inbox_events')
    .select('id')
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();
  return rows.map((row) => row.id);
}

export async function hasPending(db: Db | Trx, agentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('inbox_events')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
