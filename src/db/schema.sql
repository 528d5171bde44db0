-- Written by `npm run schema`; a test fails when it is out of date. Changes are made in migrations/.

create table agents (
  id uuid not null,
  org_id uuid not null,
  instructions text not null,
  model text,
  tools text[],
  settings jsonb not null default '{}'::jsonb,
  active_space_id uuid,
  version integer not null default 1,
  updated_at timestamp with time zone not null default now(),
  forked_from uuid,
  forked_at_cycle integer,
  PRIMARY KEY (id),
  FOREIGN KEY (active_space_id) REFERENCES spaces(id),
  FOREIGN KEY (id) REFERENCES entities(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table api_keys (
  id uuid not null,
  org_id uuid not null,
  role text not null,
  entity_id uuid,
  hash bytea not null,
  hint text not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  PRIMARY KEY (id),
  UNIQUE (hash),
  FOREIGN KEY (entity_id) REFERENCES entities(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((role = 'entity'::text) = (entity_id IS NOT NULL)),
  CHECK (role = ANY (ARRAY['admin'::text, 'entity'::text]))
);
CREATE INDEX api_keys_by_org ON public.api_keys USING btree (org_id, id);

create table compactions (
  agent_id uuid not null,
  after_cycle integer not null,
  org_id uuid not null,
  window_from_seq bigint not null,
  entries json not null,
  shortened json not null,
  tokens integer not null,
  before_tokens integer not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (agent_id, after_cycle),
  FOREIGN KEY (agent_id) REFERENCES agents(id)
);

create table consciousness (
  agent_id uuid not null,
  org_id uuid not null,
  cycle_count integer not null default 0,
  token_estimate integer not null default 0,
  window_from_seq bigint not null default 1,
  next_seq bigint not null default 1,
  last_cycle_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  calibration double precision not null default 1,
  calibration_model text,
  PRIMARY KEY (agent_id),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table consciousness_messages (
  agent_id uuid not null,
  seq bigint not null,
  org_id uuid not null,
  cycle integer not null,
  kind text not null,
  message json not null,
  message_version smallint not null default 7,
  tokens integer not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (agent_id, seq),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  CHECK (kind = ANY (ARRAY['inbox'::text, 'injected'::text, 'response'::text, 'summary'::text]))
);
CREATE INDEX consciousness_messages_by_cycle ON public.consciousness_messages USING btree (agent_id, cycle);

create table cycle_texts (
  agent_id uuid not null,
  cycle integer not null,
  org_id uuid not null,
  text text not null,
  summary text not null,
  embedding real[],
  embedding_model text,
  signs bit varying generated always as (sign_bits(embedding)) stored,
  created_at timestamp with time zone not null default now(),
  tsv tsvector generated always as ((to_tsvector('english'::regconfig, text) || to_tsvector('simple'::regconfig, text))) stored,
  PRIMARY KEY (agent_id, cycle),
  FOREIGN KEY (agent_id) REFERENCES agents(id)
);
CREATE INDEX cycle_texts_by_words ON public.cycle_texts USING gin (tsv);
CREATE INDEX cycle_texts_to_embed ON public.cycle_texts USING btree (created_at) WHERE (embedding IS NULL);

create table drafts (
  id uuid not null,
  org_id uuid not null,
  space_id uuid not null,
  run_id uuid not null,
  attempt integer not null,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  pruned boolean not null default false,
  PRIMARY KEY (id),
  FOREIGN KEY (space_id) REFERENCES spaces(id)
);
CREATE INDEX drafts_open ON public.drafts USING btree (run_id) WHERE (ended_at IS NULL);
CREATE INDEX drafts_to_prune ON public.drafts USING btree (ended_at) WHERE (NOT pruned);

create table entities (
  id uuid not null,
  org_id uuid not null,
  kind text not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK (kind = ANY (ARRAY['human'::text, 'agent'::text]))
);
CREATE INDEX entities_by_org ON public.entities USING btree (org_id, kind, id);

create table goal_changes (
  seq bigint not null generated always as identity,
  org_id uuid not null,
  agent_id uuid not null,
  cycle integer not null,
  goal_id text not null,
  description text,
  status text,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (seq),
  FOREIGN KEY (agent_id) REFERENCES agents(id)
);
CREATE INDEX goal_changes_by_agent ON public.goal_changes USING btree (agent_id, seq);

create table goals (
  agent_id uuid not null,
  id text not null,
  org_id uuid not null,
  description text not null,
  status text not null default 'active'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table idempotency_keys (
  org_id uuid not null,
  caller text not null,
  key text not null,
  request_hash bytea not null,
  status integer,
  answer jsonb,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (org_id, caller, key)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

create table inbox_events (
  id uuid not null,
  org_id uuid not null,
  agent_id uuid not null,
  position bigint not null generated always as identity,
  type text not null,
  space_id uuid,
  message_id uuid,
  sender_id uuid,
  urgent boolean not null default false,
  payload jsonb,
  status text not null default 'pending'::text,
  run_id uuid,
  failures integer not null default 0,
  rings integer not null default 0,
  error text,
  created_at timestamp with time zone not null default now(),
  dispatched_at timestamp with time zone,
  ended_at timestamp with time zone,
  joined_step integer,
  PRIMARY KEY (id),
  UNIQUE (agent_id, message_id),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (message_id) REFERENCES messages(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  FOREIGN KEY (space_id) REFERENCES spaces(id),
  CHECK (status = ANY (ARRAY['pending'::text, 'claimed'::text, 'done'::text, 'skipped'::text, 'dead'::text])),
  CHECK (type = ANY (ARRAY['message'::text, 'plan'::text, 'tool_result'::text, 'service'::text, 'heartbeat'::text]))
);
CREATE INDEX inbox_by_agent ON public.inbox_events USING btree (agent_id, "position");
CREATE INDEX inbox_by_run ON public.inbox_events USING btree (run_id, "position") WHERE (run_id IS NOT NULL);
CREATE INDEX inbox_dead ON public.inbox_events USING btree (agent_id, "position") WHERE (status = 'dead'::text);
CREATE INDEX inbox_open ON public.inbox_events USING btree (agent_id, "position") WHERE (status = ANY (ARRAY['pending'::text, 'claimed'::text]));
CREATE INDEX inbox_undispatched ON public.inbox_events USING btree (created_at) WHERE ((dispatched_at IS NULL) AND (status = 'pending'::text));

create table members (
  space_id uuid not null,
  entity_id uuid not null,
  org_id uuid not null,
  joined_at timestamp with time zone not null default now(),
  PRIMARY KEY (space_id, entity_id),
  FOREIGN KEY (entity_id) REFERENCES entities(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  FOREIGN KEY (space_id) REFERENCES spaces(id)
);
CREATE INDEX members_by_entity ON public.members USING btree (entity_id, space_id);

create table memories (
  id uuid not null,
  org_id uuid not null,
  agent_id uuid,
  author_id uuid,
  key text not null,
  value text not null,
  importance smallint not null default 5,
  embedding real[],
  embedding_model text,
  signs bit varying generated always as (sign_bits(embedding)) stored,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  characters integer not null generated always as ((length(key) + length(value))) stored,
  tsv tsvector generated always as (to_tsvector('english'::regconfig, ((regexp_replace(key, '[^[:alnum:]]+'::text, ' '::text, 'g'::text) || ' '::text) || value))) stored,
  PRIMARY KEY (id),
  UNIQUE NULLS NOT DISTINCT (org_id, agent_id, key),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (author_id) REFERENCES agents(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK (importance >= 1 AND importance <= 10)
);
CREATE INDEX memories_to_embed ON public.memories USING btree (created_at) WHERE (embedding IS NULL);

create table memory_changes (
  seq bigint not null generated always as identity,
  org_id uuid not null,
  agent_id uuid not null,
  cycle integer not null,
  key text not null,
  value text,
  importance smallint,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (seq),
  FOREIGN KEY (agent_id) REFERENCES agents(id)
);
CREATE INDEX memory_changes_by_agent ON public.memory_changes USING btree (agent_id, seq);

create table messages (
  id uuid not null,
  org_id uuid not null,
  space_id uuid not null,
  seq bigint not null,
  sender_id uuid not null,
  sender_name text not null,
  sender_kind text not null,
  text text not null,
  urgent boolean not null default false,
  run_id uuid,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (space_id, seq),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  FOREIGN KEY (sender_id) REFERENCES entities(id),
  FOREIGN KEY (space_id) REFERENCES spaces(id)
);
CREATE INDEX messages_by_sender ON public.messages USING btree (sender_id, id);

create table organizations (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (id)
);

create table plans (
  id uuid not null,
  org_id uuid not null,
  agent_id uuid not null,
  name text not null,
  instruction text not null,
  cron text,
  time_zone text,
  scheduled_at timestamp with time zone,
  status text not null default 'active'::text,
  next_run_at timestamp with time zone,
  retimed_at timestamp with time zone not null default now(),
  last_run_at timestamp with time zone,
  runs integer not null default 0,
  version integer not null default 1,
  synced_version integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((status = 'active'::text) = (next_run_at IS NOT NULL)),
  CHECK (status = ANY (ARRAY['active'::text, 'done'::text]))
);
CREATE UNIQUE INDEX plans_by_name ON public.plans USING btree (agent_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX plans_due ON public.plans USING btree (next_run_at) WHERE ((deleted_at IS NULL) AND (next_run_at IS NOT NULL));
CREATE INDEX plans_to_sync ON public.plans USING btree (id) WHERE ((synced_version < version) OR (deleted_at IS NOT NULL));

create table prompts (
  agent_id uuid not null,
  hash bytea not null,
  org_id uuid not null,
  text text not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (agent_id, hash),
  FOREIGN KEY (agent_id) REFERENCES agents(id)
);

create table run_steps (
  run_id uuid not null,
  step integer not null,
  org_id uuid not null,
  generation json not null,
  injected json,
  finish_reason text not null,
  usage jsonb not null,
  started_at timestamp with time zone not null,
  generated_at timestamp with time zone not null default now(),
  cost_usd double precision not null default 0,
  first_part_ms integer,
  PRIMARY KEY (run_id, step),
  FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

create table runs (
  id uuid not null,
  org_id uuid not null,
  agent_id uuid not null,
  cycle integer not null,
  status text not null,
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
  started_at timestamp with time zone not null default now(),
  alive_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  cost_usd double precision not null default 0,
  cache_read_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  context jsonb,
  volatile_message json,
  PRIMARY KEY (id),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK (status = ANY (ARRAY['running'::text, 'committed'::text, 'stopped'::text, 'failed'::text]))
);
CREATE INDEX runs_by_agent ON public.runs USING btree (agent_id, started_at);
CREATE INDEX runs_by_start ON public.runs USING brin (started_at);
CREATE UNIQUE INDEX runs_one_at_a_time ON public.runs USING btree (agent_id) WHERE (status = 'running'::text);

create table skips (
  id uuid not null,
  org_id uuid not null,
  agent_id uuid not null,
  reason text not null,
  model text not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  event_ids uuid[] not null,
  created_at timestamp with time zone not null default now(),
  cost_usd double precision not null default 0,
  cache_read_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  PRIMARY KEY (id),
  FOREIGN KEY (agent_id) REFERENCES agents(id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX skips_by_agent ON public.skips USING btree (agent_id, created_at);

create table space_events (
  space_id uuid not null,
  seq bigint not null,
  org_id uuid not null,
  type text not null,
  data jsonb not null,
  draft_id uuid,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (space_id, seq),
  FOREIGN KEY (space_id) REFERENCES spaces(id)
);
CREATE INDEX space_events_by_draft ON public.space_events USING btree (draft_id) WHERE (type = 'message.delta'::text);

create table spaces (
  id uuid not null,
  org_id uuid not null,
  name text not null,
  message_seq bigint not null default 0,
  event_seq bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
) with (fillfactor=70);
CREATE INDEX spaces_by_org ON public.spaces USING btree (org_id, id);

create table tool_calls (
  id uuid not null,
  org_id uuid not null,
  run_id uuid not null,
  step integer not null,
  call_id text not null,
  name text not null,
  input json not null,
  status text not null,
  output json,
  started_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  whole_output text,
  told json,
  PRIMARY KEY (id),
  UNIQUE (run_id, call_id),
  FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CHECK (status = ANY (ARRAY['started'::text, 'done'::text, 'failed'::text, 'waiting'::text, 'pending'::text, 'unknown'::text]))
);
CREATE INDEX tool_calls_open ON public.tool_calls USING btree (org_id, id) WHERE (status = ANY (ARRAY['waiting'::text, 'pending'::text]));

create table tools (
  id uuid not null,
  org_id uuid not null,
  name text not null,
  description text not null,
  input_schema json not null,
  kind text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (org_id, name),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK (kind = 'external'::text)
);

CREATE OR REPLACE FUNCTION public.sign_bits(vector real[])
 RETURNS bit varying
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select string_agg(case when number < 0 then '0' else '1' end, '' order by place)::bit varying
      from unnest(vector) with ordinality as numbers (number, place) $function$
;
