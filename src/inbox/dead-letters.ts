import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { AppError } from '../errors.ts';
import { selectInboxEvents, toInboxEvent, type InboxEvent } from './inbox-event.ts';

/** An event that its agent gave up on, after its cycle had failed too often or had no money left. */
export type DeadLetter = Pick<InboxEvent, 'id' | 'type' | 'space' | 'sender' | 'failures'> & {
  preview?: string;
  error: string | null;
  runId: string | null;
  since: string;
};

const PREVIEW_CHARACTERS = 200;

/** Newest first. */
export async function listDeadLetters(
  db: Db,
  input: { orgId: string; agentId: string },
  page: PageRequest,
): Promise<Page<DeadLetter>> {
  const rows = await selectInboxEvents(db)
    .select(['inbox_events.error', 'inbox_events.run_id', 'inbox_events.ended_at'])
    .where('inbox_events.agent_id', '=', input.agentId)
    .where('inbox_events.org_id', '=', input.orgId)
    .where('inbox_events.status', '=', 'dead')
    .$if(page.afterId !== undefined, (query) =>
      query.where(
        sql<boolean>`inbox_events.position < (select position from inbox_events as last
          where last.id = ${page.afterId!}::uuid and last.agent_id = ${input.agentId}::uuid)`,
      ),
    )
    .orderBy('inbox_events.position', 'desc')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, (row) => {
    const { id, type, space, sender, failures, message, createdAt } = toInboxEvent(row);
    return {
      id,
      type,
      failures,
      error: row.error,
      runId: row.run_id,
      since: (row.ended_at ?? createdAt).toISOString(),
      ...(space !== undefined && { space }),
      ...(sender !== undefined && { sender }),
      ...(message !== undefined && { preview: message.text.slice(0, PREVIEW_CHARACTERS).toWellFormed() }),
    };
  });
}

/**
 * Puts an event back into its agent's inbox, as if it had never been tried. The failed run keeps its record, and the
 * agent remembers what it did in it. Names the agent, which the caller rings once this is committed.
 */
export async function retryDeadLetter(trx: Trx, orgId: string, eventId: string): Promise<string> {
  const revived = await trx
    .updateTable('inbox_events')
    .set((eb) => ({
      status: 'pending',
      failures: 0,
      run_id: null,
      joined_step: null,
      error: null,
      ended_at: null,
      dispatched_at: null,
      rings: eb('rings', '+', 1), // the agent may have seen this id; a second ring is heard all the same
    }))
    .where('id', '=', eventId)
    .where('org_id', '=', orgId)
    .where('status', '=', 'dead')
    .where('agent_id', 'in', (eb) => eb.selectFrom('entities').select('id').where('deleted_at', 'is', null))
    .returning('agent_id')
    .executeTakeFirst();
  if (revived !== undefined) return revived.agent_id;

  const found = await trx
    .selectFrom('inbox_events')
    .innerJoin('entities as agent', 'agent.id', 'inbox_events.agent_id')
    .select(['inbox_events.status', 'agent.deleted_at'])
    .where('inbox_events.id', '=', eventId)
    .where('inbox_events.org_id', '=', orgId)
    .executeTakeFirst();
  if (found === undefined || found.deleted_at !== null) {
    throw new AppError('not-found', `there is no dead letter ${eventId}`);
  }
  throw new AppError('conflict', `event ${eventId} is ${found.status}, not dead; there is nothing to retry`);
}
