import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { AppError } from '../errors.ts';

export type Human = { id: string; name: string; createdAt: string };

export async function listHumans(db: Db, orgId: string, page: PageRequest): Promise<Page<Human>> {
  const rows = await humansOf(db, orgId)
    .$if(page.afterId !== undefined, (query) => query.where('id', '>', page.afterId!))
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toHuman);
}

export async function getHuman(db: Db, orgId: string, humanId: string): Promise<Human> {
  const row = await humansOf(db, orgId).where('id', '=', humanId).executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', `there is no human ${humanId}`);
  return toHuman(row);
}

export function toHuman(row: { id: string; name: string; created_at: Date }): Human {
  return { id: row.id, name: row.name, createdAt: row.created_at.toISOString() };
}

function humansOf(db: Db, orgId: string) {
  return db
    .selectFrom('entities')
    .select(['id', 'name', 'created_at'])
    .where('org_id', '=', orgId)
    .where('kind', '=', 'human')
    .where('deleted_at', 'is', null);
}
