import type { Generated, GeneratedAlways } from 'kysely';

export interface MemoryTable {
  id: string;
  org_id: string;
  /** Null: known to every agent of the organisation. */
  agent_id: string | null;
  /** The agent that set it last; null: a person did. */
  author_id: string | null;
  key: string;
  value: string;
  importance: Generated<number>;
  embedding: number[] | null;
  embedding_model: string | null;
  signs: GeneratedAlways<string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** Of key and value; kept, because asking a thousand stored values for their length took 20 ms. */
  characters: GeneratedAlways<number>;
  tsv: GeneratedAlways<string>;
}

export interface MemoryChangeTable {
  seq: GeneratedAlways<number>;
  org_id: string;
  agent_id: string;
  /** The change holds after this cycle. */
  cycle: number;
  key: string;
  /** Null: deleted. */
  value: string | null;
  importance: number | null;
  created_at: Generated<Date>;
}
