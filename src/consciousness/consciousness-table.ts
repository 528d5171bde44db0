import type { ModelMessage } from 'ai';
import type { Generated, JSONColumnType } from 'kysely';

export type MessageKind = 'inbox' | 'injected' | 'response' | 'summary';

export interface ConsciousnessTable {
  agent_id: string;
  org_id: string;
  cycle_count: Generated<number>;
  token_estimate: Generated<number>;
  window_from_seq: Generated<number>;
  next_seq: Generated<number>;
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
