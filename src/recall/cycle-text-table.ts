import type { Generated, GeneratedAlways } from 'kysely';

export interface CycleTextTable {
  agent_id: string;
  cycle: number;
  org_id: string;
  text: string;
  summary: string;
  embedding: number[] | null;
  embedding_model: string | null;
  created_at: Generated<Date>;
  tsv: GeneratedAlways<string>;
}
