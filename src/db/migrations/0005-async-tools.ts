import { sql, type Kysely } from 'kysely';

/** Tools that an organisation brings along, and calls that are answered long after the model made them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // json, not jsonb: the schema is part of the prompt, and must stay the same bytes.
  `create table tools (
    id uuid primary key,
    org_id uuid not null references organizations,
    name text not null,
    description text not null,
    input_schema json not null,
    kind text not null check (kind in ('external')),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (org_id, name)
  )`,

  // What the model was told in the cycle, where the output came later: a retried step must be told the same.
  `alter table tool_calls add column told json`,
  `create index tool_calls_open on tool_calls (org_id, id) where status in ('waiting', 'pending')`,
];
