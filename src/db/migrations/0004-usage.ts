import { sql, type Kysely } from 'kysely';

/** All tokens of a skip, so that the usage sums are whole, and an index that finds the last hour's runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `alter table skips
    add column cache_read_tokens bigint not null default 0,
    add column cache_write_tokens bigint not null default 0,
    add column reasoning_tokens bigint not null default 0`,

  // Runs are appended as they start: a block range index is a few pages at any age and costs a cycle nothing.
  `create index runs_by_start on runs using brin (started_at)`,
];
