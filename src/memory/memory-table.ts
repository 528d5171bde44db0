import type { Generated } from 'kysely';

export interface MemoryTable {
  id: string;
  org_id: string;
  /** Null: known to every agent of the organisation. */
  agent_id: string | null;
  key: string;
  value: string;
  importance: Generated<number>;
  embedding: number[] | null;
  embedding_model: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
