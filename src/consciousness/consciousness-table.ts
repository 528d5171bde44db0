import type { ModelMessage } from 'ai';
import type { Generated, JSONColumnType } from 'kysely';

import type { SummaryEntry } from './summary.ts';

export type MessageKind = 'inbox' | 'injected' | 'response' | 'summary';

export interface ConsciousnessTable {
  agent_id: string;
  org_id: string;
  cycle_count: Generated<number>;
  token_estimate: Generated<number>;
  window_from_seq: Generated<number>;
  next_seq: Generated<number>;
  calibration: Generated<number>;
  calibration_model: string | null;
  last_cycle_at: Date | null;
  updated_at: Generated<Date>;
}

export interface ConsciousnessMessageTable {
  agent_id: string;
  seq: number;
  org_id: string;
  cycle: number;
  kind: MessageKind;
  message: JSONColumnType<ModelMessage>;
  message_version: Generated<number>;
  tokens: number;
  created_at: Generated<Date>;
}

export interface CompactionTable {
  agent_id: string;
  after_cycle: number;
  org_id: string;
  window_from_seq: number;
  entries: JSONColumnType<SummaryEntry[]>;
  /** Messages of the window that are given shortened, by their seq. */
  shortened: JSONColumnType<Record<string, ModelMessage>>;
  tokens: number;
  before_tokens: number;
  created_at: Generated<Date>;
}
