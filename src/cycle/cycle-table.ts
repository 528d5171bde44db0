import type { ModelMessage } from 'ai';
import type { Generated, JSONColumnType } from 'kysely';

import type { ContextFigures } from './context-guard.ts';
import type { Generation, StepUsage } from './generation.ts';

export type RunStatus = 'running' | 'committed' | 'stopped' | 'failed';
export type ToolCallStatus = 'started' | 'done' | 'failed' | 'waiting' | 'pending' | 'unknown';

export interface PromptTable {
  agent_id: string;
  hash: Buffer;
  org_id: string;
  text: string;
  created_at: Generated<Date>;
}

export interface RunTable {
  id: string;
  org_id: string;
  agent_id: string;
  cycle: number;
  status: RunStatus;
  fence: Generated<number>;
  model: string;
  agent_version: number;
  prompt_hash: Buffer;
  inbox_message: JSONColumnType<ModelMessage>;
  volatile_message: JSONColumnType<ModelMessage> | null;
  event_count: number;
  stop_reason: string | null;
  failures: Generated<number>;
  error: string | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cache_read_tokens: Generated<number>;
  cache_write_tokens: Generated<number>;
  reasoning_tokens: Generated<number>;
  cost_usd: Generated<number>;
  context: JSONColumnType<ContextFigures> | null;
  started_at: Generated<Date>;
  alive_at: Generated<Date>;
  ended_at: Date | null;
}

export interface RunStepTable {
  run_id: string;
  step: number;
  org_id: string;
  generation: JSONColumnType<Generation>;
  injected: JSONColumnType<ModelMessage[]> | null;
  finish_reason: string;
  usage: JSONColumnType<StepUsage>;
  cost_usd: Generated<number>;
  first_part_ms: number | null;
  started_at: Date;
  generated_at: Generated<Date>;
}

export interface ToolCallTable {
  id: string;
  org_id: string;
  run_id: string;
  step: number;
  call_id: string;
  name: string;
  input: JSONColumnType<object>;
  status: ToolCallStatus;
  output: JSONColumnType<object> | null;
  whole_output: string | null;
  /** What the model was told in place of an output that came later. */
  told: JSONColumnType<object> | null;
  started_at: Generated<Date>;
  ended_at: Date | null;
}

export interface SkipTable {
  id: string;
  org_id: string;
  agent_id: string;
  reason: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: Generated<number>;
  cache_write_tokens: Generated<number>;
  reasoning_tokens: Generated<number>;
  cost_usd: Generated<number>;
  event_ids: string[];
  created_at: Generated<Date>;
}
