import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';

export type SpaceSummary = { id: string; name: string; createdAt: string };

/** The spaces of an organisation; with `memberId`, only those this entity is in. */
export async function listSpaces(
  db: Db,
  input: { orgId: string; memberId?: string },
  page: PageRequest,
): Promise<Page<SpaceSummary>> {
  const { memberId } = input;
  const rows = await db
    .selectFrom('spaces')
    .select(['spaces.id', 'spaces.name', 'spaces.created_at'])
    .where('spaces.org_id', '=', input.orgId)
    .$if(memberId !== undefined, (query) =>
      query.where('spaces.id', 'in', (eb) =>
        eb.selectFrom('members').select('members.space_id').where('members.entity_id', '=', memberId!),
      ),
    )
    .$if(page.afterId !== undefined, (query) => query.where('spaces.id', '>', page.afterId!))
    .orderBy('spaces.id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toSpaceSummary);
}

export function toSpaceSummary(row: { id: string; name: string; created_at: Date }): SpaceSummary {
  return { id: row.id, name: row.name, createdAt: row.created_at.toISOString() };
}
