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
    add column calibration_model text`,

  // What the model is shown right before the inbox message and is not remembered: recalled cycles, relevant memories.
  `alter table runs add column volatile_message json`,

  // The signs of a vector's numbers. Comparing 64 bytes of them is a first look that costs next to nothing.
  `create function sign_bits(vector real[]) returns bit varying
    language sql immutable strict parallel safe
    as $$ select string_agg(case when number < 0 then '0' else '1' end, '' order by place)::bit varying
      from unnest(vector) with ordinality as numbers (number, place) $$`,

  // One row per kept cycle: what was said in it, in words, for search. tsv mixes stemmed English with plain words;
  // embedding holds the vectors of its passages one behind the other, empty when there can be none.
  `create table cycle_texts (
    agent_id uuid not null references agents,
    cycle integer not null,
    org_id uuid not null,
    text text not null,
    summary text not null,
    embedding real[],
    embedding_model text,
    signs bit varying generated always as (sign_bits(embedding)) stored,
    created_at timestamptz not null default now(),
    tsv tsvector generated always as (to_tsvector('english', text) || to_tsvector('simple', text)) stored,
    primary key (agent_id, cycle)
  )`,
  `create index cycle_texts_by_words on cycle_texts using gin (tsv)`,
  `create index cycle_texts_to_embed on cycle_texts (created_at) where embedding is null`,

  // agent_id null: known to every agent of the organisation. author_id: the agent that set it last, null for a person.
  // A key such as ana_room.number is words too.
  `create table memories (
    id uuid primary key,
    org_id uuid not null references organizations,
    agent_id uuid references agents,
    author_id uuid references agents,
    key text not null,
    value text not null,
    importance smallint not null default 5 check (importance between 1 and 10),
    embedding real[],
    embedding_model text,
    signs bit varying generated always as (sign_bits(embedding)) stored,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    characters integer not null generated always as (length(key) + length(value)) stored,
    tsv tsvector generated always as (
      to_tsvector('english', regexp_replace(key, '[^[:alnum:]]+', ' ', 'g') || ' ' || value)
    ) stored,
    unique nulls not distinct (org_id, agent_id, key)
  )`,
  `create index memories_to_embed on memories (created_at) where embedding is null`,

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

  // What an agent's memories and goals were after any cycle: the newest change of each key up to it. Null: deleted.
  `create table memory_changes (
    seq bigint generated always as identity primary key,
    org_id uuid not null,
    agent_id uuid not null references agents,
    cycle integer not null,
    key text not null,
    value text,
    importance smallint,
    created_at timestamptz not null default now()
  )`,
  `create index memory_changes_by_agent on memory_changes (agent_id, seq)`,
  `create table goal_changes (
    seq bigint generated always as identity primary key,
    org_id uuid not null,
    agent_id uuid not null references agents,
    cycle integer not null,
    goal_id text not null,
    description text,
    status text,
    created_at timestamptz not null default now()
  )`,
  `create index goal_changes_by_agent on goal_changes (agent_id, seq)`,

  // A run asks for its own events when it begins and when it ends; without this both read the whole table.
  `create index inbox_by_run on inbox_events (run_id, position) where run_id is not null`,

  // Export and erasure ask for all that one agent ever said.
  `create index messages_by_sender on messages (sender_id, id)`,

  `alter table agents add column forked_from uuid, add column forked_at_cycle integer`,
];
