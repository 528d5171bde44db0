import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';

const answers = new Map<string, boolean>();

/** Whether this database has the extension. Looked up once per process and database: nobody installs it in between. */
export async function hasPgvector(db: Db | Trx): Promise<boolean> {
  const { rows } = await sql<{ name: string; present: boolean }>`
    select current_database() || ' at ' || coalesce(inet_server_port(), 0) as name,
      exists (select from pg_extension where extname = 'vector') as present`.execute(db);
  return rows[0]?.present ?? false;
}
