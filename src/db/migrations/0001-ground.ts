import { sql, type Kysely } from 'kysely';

/** Organisations, entities, spaces, the inbox, consciousness and the journal of think cycles. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table organizations (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null default now()
  )`,

  `create table entities (
    id uuid primary key,
    org_id uuid not null references organizations,
    kind text not null check (kind in ('human', 'agent')),
    name text not null,
    created_at timestamptz not null default now(),
    deleted_at timestamptz
  )`,
  `create index entities_by_org on entities (org_id, kind, id)`,

  // Only the SHA-256 of a key is kept: 256 random bits need no salt and no slow hash.
  `create table api_keys (
    id uuid primary key,
    org_id uuid not null references organizations,
    role text not null check (role in ('admin', 'entity')),
    entity_id uuid references entities,
    hash bytea not null unique,
    hint text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    check ((role = 'entity') = (entity_id is not null))
  )`,
  `create index api_keys_by_org on api_keys (org_id, id)`,

  `create table idempotency_keys (
    org_id uuid not null,
    caller text not null,
    key text not null,
    request_hash bytea not null,
    status integer,
    answer jsonb,
    created_at timestamptz not null default now(),
    primary key (org_id, caller, key)
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,

  // event_seq and message_seq are the locked counters that make the log and the messages gap-free.
  `create table spaces (
    id uuid primary key,
    org_id uuid not null references organizations,
    name text not null,
    message_seq bigint not null default 0,
    event_seq bigint not null default 0,
    created_at timestamptz not null default now()
  ) with (fillfactor = 70)`,
  `create index spaces_by_org on spaces (org_id, id)`,

  `create table members (
    space_id uuid not null references spaces,
    entity_id uuid not null references entities,
    org_id uuid not null references organizations,
    joined_at timestamptz not null default now(),
    primary key (space_id, entity_id)
  )`,
  `create index members_by_entity on members (entity_id, space_id)`,

  `create table agents (
    id uuid primary key references entities,
    org_id uuid not null references organizations,
    instructions text not null,
    model text,
    tools text[],
    settings jsonb not null default '{}',
    active_space_id uuid references spaces,
    version integer not null default 1,
    updated_at timestamptz not null default now()
  )`,

  `create table messages (
    id uuid primary key,
    org_id uuid not null references organizations,
    space_id uuid not null references spaces,
    seq bigint not null,
    sender_id uuid not null references entities,
    sender_name text not null,
    sender_kind text not null,
    text text not null,
    urgent boolean not null default false,
    run_id uuid,
    created_at timestamptz not null default now(),
    unique (space_id, seq)
  )`,

  `create table space_events (
    space_id uuid not null references spaces,
    seq bigint not null,
    org_id uuid not null,
    type text not null,
    data jsonb not null,
    draft_id uuid,
    created_at timestamptz not null default now(),
    primary key (space_id, seq)
  )`,
  `create index space_events_by_draft on space_events (draft_id) where type = 'message.delta'`,

  // A message while the model is still writing it. Ended by its message, or by being discarded.
  `create table drafts (
    id uuid primary key,
    org_id uuid not null,
    space_id uuid not null references spaces,
    run_id uuid not null,
    attempt integer not null,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    pruned boolean not null default false
  )`,
  `create index drafts_open on drafts (run_id) where ended_at is null`,
  `create index drafts_to_prune on drafts (ended_at) where not pruned`,

  // position is drawn while the space's counter row is locked, so it follows seq inside each space.
  `create table inbox_events (
    id uuid primary key,
    org_id uuid not null references organizations,
    agent_id uuid not null references agents,
    position bigint not null generated always as identity,
    type text not null check (type in ('message', 'plan', 'tool_result', 'service', 'heartbeat')),
    space_id uuid references spaces,
    message_id uuid references messages,
    sender_id uuid,
    urgent boolean not null default false,
    payload jsonb,
    status text not null default 'pending' check (status in ('pending', 'claimed', 'done', 'skipped', 'dead')),
    run_id uuid,
    failures integer not null default 0,
    rings integer not null default 0,
    error text,
    created_at timestamptz not null default now(),
    dispatched_at timestamptz,
    ended_at timestamptz,
    unique (agent_id, message_id)
  )`,
  `create index inbox_open on inbox_events (agent_id, position) where status in ('pending', 'claimed')`,
  `create index inbox_undispatched on inbox_events (created_at) where dispatched_at is null and status = 'pending'`,
  `create index inbox_by_agent on inbox_events (agent_id, position)`,

  `create table consciousness (
    agent_id uuid primary key references agents,
    org_id uuid not null references organizations,
    cycle_count integer not null default 0,
    token_estimate integer not null default 0,
    window_from_seq bigint not null default 1,
    next_seq bigint not null default 1,
    last_cycle_at timestamptz,
    updated_at timestamptz not null default now()
  )`,

  // json, not jsonb, wherever a model will read it again: jsonb reorders keys, and a prompt that is not the same bytes as
  // last time misses the provider's cache.
  // message_version tells which AI SDK message shape a row holds; an unknown one is refused, never guessed at.
  `create table consciousness_messages (
    agent_id uuid not null references agents,
    seq bigint not null,
    org_id uuid not null,
    cycle integer not null,
    kind text not null check (kind in ('inbox', 'injected', 'response', 'summary')),
    message json not null,
    message_version smallint not null default 7,
    tokens integer not null,
    created_at timestamptz not null default now(),
    primary key (agent_id, seq)
  )`,
  `create index consciousness_messages_by_cycle on consciousness_messages (agent_id, cycle)`,

  // The system prompts that runs were given, each text once.
  `create table prompts (
    agent_id uuid not null references agents,
    hash bytea not null,
    org_id uuid not null,
    text text not null,
    created_at timestamptz not null default now(),
    primary key (agent_id, hash)
  )`,

  `create table runs (
    id uuid primary key,
    org_id uuid not null references organizations,
    agent_id uuid not null references agents,
    cycle integer not null,
    status text not null check (status in ('running', 'committed', 'stopped', 'failed')),
    fence integer not null default 1,
    model text not null,
    agent_version integer not null,
    prompt_hash bytea not null,
    inbox_message json not null,
    event_count integer not null,
    stop_reason text,
    failures integer not null default 0,
    error text,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    started_at timestamptz not null default now(),
    alive_at timestamptz not null default now(),
    ended_at timestamptz
  )`,
  `create unique index runs_one_at_a_time on runs (agent_id) where status = 'running'`,
  `create index runs_by_agent on runs (agent_id, started_at)`,

  // The journal: what the model said, written before any of its tool calls runs.
  `create table run_steps (
    run_id uuid not null references runs on delete cascade,
    step integer not null,
    org_id uuid not null,
    generation json not null,
    injected json,
    finish_reason text not null,
    usage jsonb not null,
    started_at timestamptz not null,
    generated_at timestamptz not null default now(),
    primary key (run_id, step)
  )`,

  `create table tool_calls (
    id uuid primary key,
    org_id uuid not null,
    run_id uuid not null references runs on delete cascade,
    step integer not null,
    call_id text not null,
    name text not null,
    input json not null,
    status text not null check (status in ('started', 'done', 'failed', 'waiting', 'pending', 'unknown')),
    output json,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    unique (run_id, call_id)
  )`,

  `create table skips (
    id uuid primary key,
    org_id uuid not null references organizations,
    agent_id uuid not null references agents,
    reason text not null,
    model text not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    event_ids uuid[] not null,
    created_at timestamptz not null default now()
  )`,
  `create index skips_by_agent on skips (agent_id, created_at)`,
];
