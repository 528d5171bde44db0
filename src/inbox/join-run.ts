import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { selectInboxEvents, toInboxEvent, type InboxEvent } from './inbox-event.ts';

export type UrgentRules = { senders?: string[] | undefined; words?: string[] | undefined };

const PREVIEWED = 10;
const JOIN_LIMIT = 50;

/**
 * Urgent events join the run before this step: those the sender marked, and those the agent's own rules name.
 * Asked again for the same step, it gives the same ones; they are done when the run commits, and not before.
 */
export async function joinUrgent(
  trx: Trx,
  input: { agentId: string; runId: string; step: number; rules: UrgentRules | undefined },
): Promise<InboxEvent[]> {
  const { senders = [], words = [] } = input.rules ?? {};
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
  await sql`
    update inbox_events set status = 'claimed', run_id = ${input.runId}::uuid, joined_step = ${input.step}::integer
    where id in (
      select waiting.id from inbox_events as waiting left join messages on messages.id = waiting.message_id
      where waiting.agent_id = ${input.agentId}::uuid and waiting.status = 'pending'
        and (waiting.urgent or waiting.sender_id = any(${senders}::uuid[]) or messages.text ilike any(${patterns}::text[]))
      order by waiting.position limit ${JOIN_LIMIT} for update of waiting)`.execute(trx);
  return joinedAt(trx, input.runId, input.step);
}

/** Everything that waits joins the run, as the result of a call: `peek_inbox`. */
export async function joinAll(
  trx: Trx,
  input: { agentId: string; runId: string; limit: number },
): Promise<InboxEvent[]> {
  const rows = await trx
    .updateTable('inbox_events')
    .set({ status: 'claimed', run_id: input.runId, joined_step: -1 })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('inbox_events')
        .select('id')
        .where('agent_id', '=', input.agentId)
        .where('status', '=', 'pending')
        .orderBy('position')
        .limit(input.limit)
        .forUpdate(),
    )
    .returning('id')
    .execute();
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const events = await selectInboxEvents(trx)
    .where('inbox_events.id', 'in', ids)
    .orderBy('inbox_events.position')
    .execute();
  return events.map(toInboxEvent);
}

async function joinedAt(trx: Trx, runId: string, step: number): Promise<InboxEvent[]> {
  const rows = await selectInboxEvents(trx)
    .where('inbox_events.run_id', '=', runId)
    .where('inbox_events.joined_step', '=', step)
    .orderBy('inbox_events.position')
    .execute();
  return rows.map(toInboxEvent);
}

/** How many wait, and the first of them in order, without taking any. */
export async function pendingPreview(db: Db, agentId: string): Promise<{ total: number; first: InboxEvent[] }> {
  const counted = await db
    .selectFrom('inbox_events')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('agent_id', '=', agentId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  const total = Number(counted.total);
  if (total === 0) return { total, first: [] };
  const rows = await selectInboxEvents(db)
    .where('inbox_events.agent_id', '=', agentId)
    .where('inbox_events.status', '=', 'pending')
    .orderBy('inbox_events.position')
    .limit(PREVIEWED)
    .execute();
  return { total, first: rows.map(toInboxEvent) };
}
