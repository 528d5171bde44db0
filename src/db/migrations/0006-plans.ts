import { sql, type Kysely } from 'kysely';

/** What agents will be woken for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // The record; a Temporal Schedule per row is made from it. version rises with every change of the timing, and
  // synced_version says which one the Schedule has. A deleted row stays, without its words, until its Schedule is gone.
  `create table plans (
    id uuid primary key,
    org_id uuid not null references organizations,
    agent_id uuid not null references agents,
    name text not null,
    instruction text not null,
    cron text,
    time_zone text,
    scheduled_at timestamptz,
    status text not null default 'active' check (status in ('active', 'done')),
    next_run_at timestamptz,
    retimed_at timestamptz not null default now(),
    last_run_at timestamptz,
    runs integer not null default 0,
    version integer not null default 1,
    synced_version integer not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    check ((status = 'active') = (next_run_at is not null))
  )`,
  `create unique index plans_by_name on plans (agent_id, name) where deleted_at is null`,
  `create index plans_to_sync on plans (id) where synced_version < version or deleted_at is not null`,
  `create index plans_due on plans (next_run_at) where deleted_at is null and next_run_at is not null`,
];
