import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { selectInboxEvents, toInboxEvent, type InboxEvent } from './inbox-event.ts';
import type { InboxStatus } from './inbox-table.ts';

export type InboxEntry = Omit<InboxEvent, 'createdAt'> & { createdAt: string };

/** Newest first: an old agent's first page would otherwise be what it answered years ago. */
export async function listInbox(
  db: Db,
  input: { orgId: string; agentId: string; status?: InboxStatus },
  page: PageRequest,
): Promise<Page<InboxEntry>> {
  const { status } = input;
  const rows = await selectInboxEvents(db)
    .where('inbox_events.agent_id', '=', input.agentId)
    .where('inbox_events.org_id', '=', input.orgId)
    .$if(status !== undefined, (query) => query.where('inbox_events.status', '=', status!))
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
    const event = toInboxEvent(row);
    return { ...event, createdAt: event.createdAt.toISOString() };
  });
}
