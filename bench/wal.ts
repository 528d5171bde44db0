import { sql } from 'kysely';

import type { Db } from '../src/db/open-database.ts';

export type Written = { inserts: number; updates: number; bytes: number };

/**
 * Reads from the write-ahead log what Postgres wrote, to the row. The statistics views would do, but backends report
 * to them up to ten seconds late. The bench owns this Postgres: nobody else writes there.
 */
export async function openWal(db: Db): Promise<{ mark(): Promise<string>; since(mark: string): Promise<Written> }> {
  await sql`create extension if not exists pg_walinspect`.execute(db);
  // Its writes belong to no cycle, and would fall into whichever is being measured.
  await sql`alter system set autovacuum = off`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);

  const mark = async (): Promise<string> => {
    const { rows } = await sql<{ lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(db);
    return rows[0]!.lsn;
  };
  return {
    mark,
    async since(from) {
      // Page images are left out: how many there are depends on when the last checkpoint was, not on the cycle.
      const { rows } = await sql<{ inserts: number; updates: number; bytes: number }>`
        select coalesce(sum(count) filter (where name like 'Heap/INSERT%' or name like 'Heap2/MULTI_INSERT%'), 0)::integer as inserts,
               coalesce(sum(count) filter (where name like 'Heap/%UPDATE%'), 0)::integer as updates,
               coalesce(sum(record_size), 0)::integer as bytes
        from (select "resource_manager/record_type" as name, count, record_size
              from pg_get_wal_stats(${from}::pg_lsn, ${await mark()}::pg_lsn, true)) as stats`.execute(db);
      return rows[0]!;
    },
  };
}
