import { sql, type Kysely } from 'kysely';

/** Events that join a run under way, whole tool results, money and context figures. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // The step before which an event joined its run; null for those the run began with.
  `alter table inbox_events add column joined_step integer`,

  // What was cut from `output` because it was too long for the model.
  `alter table tool_calls add column whole_output text`,

  `alter table run_steps
    add column cost_usd double precision not null default 0,
    add column first_part_ms integer`,
  `alter table runs
    add column cost_usd double precision not null default 0,
    add column cache_read_tokens bigint not null default 0,
    add column cache_write_tokens bigint not null default 0,
    add column reasoning_tokens bigint not null default 0,
    add column context jsonb`,
  `alter table skips add column cost_usd double precision not null default 0`,
  `create index inbox_dead on inbox_events (agent_id, position) where status = 'dead'`,
];
