import type { Generated, GeneratedAlways } from 'kysely';

export interface CycleTextTable {
  agent_id: string;
  cycle: number;
  org_id: string;
  text: string;
  summary: string;
  /** The vectors of the passages, one behind the other; empty when the text cannot be embedded. */
  embedding: number[] | null;
  embedding_model: string | null;
  signs: GeneratedAlways<string | null>;
  created_at: Generated<Date>;
  tsv: GeneratedAlways<string>;
}
