import { sql, type Kysely } from 'kysely';

/** Compaction without loss, memories and goals, and the searchable archive of cycles. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // One row per compaction: what later cycles are given instead of everything before window_from_seq. Rows of
  // consciousness_messages are never touched, so any earlier moment can be shown again.
  `create table compactions (
    agent_id uuid not null references agents,
    after_cycle integer not null,
    org_id uuid not null,
    window_from_seq bigint not null,
    entries json not null,
    shortened json not null,
    tokens integer not null,
    before_tokens integer not null,
    created_at timestamptz not null default now(),
    primary key (agent_id, after_cycle)
  )`,

  // Provider-reported input tokens over our raw estimate, for the model the agent thinks with.
  `alter table consciousness
    add column calibration double precision not null default 1,
    add column calibration_model text,
    add column prompt_overhead integer not null default 0`,

  // What the model is shown right before the inbox message and is not remembered: recalled cycles, relevant memories.
  `alter table runs add column volatile_message json`,

  // One row per kept cycle: what was said in it, in words, for search. tsv mixes stemmed English with plain words.
  `create table cycle_texts (
    agent_id uuid not null references agents,
    cycle integer not null,
    org_id uuid not null,
    text text not null,
    summary text not null,
    embedding real[],
    embedding_model text,
    created_at timestamptz not null default now(),
    tsv tsvector generated always as (to_tsvector('english', text) || to_tsvector('simple', text)) stored,
    primary key (agent_id, cycle)
  )`,
  `create index cycle_texts_by_words on cycle_texts using gin (tsv)`,
  `create index cycle_texts_to_embed on cycle_texts (created_at) where embedding is null`,

  // agent_id null: known to every agent of the organisation.
  `create table memories (
    id uuid primary key,
    org_id uuid not null references organizations,
    agent_id uuid references agents,
    key text not null,
    value text not null,
    importance smallint not null default 5 check (importance between 1 and 10),
    embedding real[],
    embedding_model text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique nulls not distinct (org_id, agent_id, key)
  )`,

  `create table goals (
    agent_id uuid not null references agents,
    id text not null,
    org_id uuid not null references organizations,
    description text not null,
    status text not null default 'active',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (agent_id, id)
  )`,

  `alter table agents add column forked_from uuid, add column forked_at_cycle integer`,
];
