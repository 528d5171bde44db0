import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';

/** A cycle of which nothing was kept but its cost. */
export type Skip = {
  id: string;
  reason: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
  eventIds: string[];
  createdAt: string;
};

/** Newest first; a skip's id is a UUIDv7, drawn when it happened. */
export async function listSkips(db: Db, orgId: string, agentId: string, page: PageRequest): Promise<Page<Skip>> {
  const rows = await db
    .selectFrom('skips')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('org_id', '=', orgId)
    .$if(page.afterId !== undefined, (query) => query.where('id', '<', page.afterId!))
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, (row) => ({
    id: row.id,
    reason: row.reason,
    model: row.model,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    eventIds: row.event_ids,
    createdAt: row.created_at.toISOString(),
  }));
}
