import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';

/** Asked each time: it takes 0.3 ms, and a database may get the extension while we run. */
export async function hasPgvector(db: Db | Trx): Promise<boolean> {
  const { rows } = await sql<{ present: boolean }>`
    select exists (select from pg_extension where extname = 'vector') as present`.execute(db);
  return rows[0]?.present ?? false;
}

/** Switches the extension on where the server brings it. A server that forbids it is searched without. */
export async function preparePgvector(db: Db): Promise<void> {
  const { rows } = await sql`
    select from pg_available_extensions where name = 'vector' and installed_version is null`.execute(db);
  if (rows.length === 0) return;
  await sql`create extension if not exists vector`.execute(db).catch(() => undefined);
}
