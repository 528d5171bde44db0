import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import type { KeyRole } from './key-table.ts';

export type KeyDescription = {
  id: string;
  role: KeyRole;
  entityId: string | null;
  hint: string;
  createdAt: string;
  revokedAt: string | null;
};

export async function listKeys(db: Db, orgId: string, page: PageRequest): Promise<Page<KeyDescription>> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'role', 'entity_id', 'hint', 'created_at', 'revoked_at'])
    .where('org_id', '=', orgId)
    .$if(page.afterId !== undefined, (query) => query.where('id', '>', page.afterId!))
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, (row) => ({
    id: row.id,
    role: row.role,
    entityId: row.entity_id,
    hint: row.hint,
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }));
}
