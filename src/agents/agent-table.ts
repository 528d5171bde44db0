import type { Generated, JSONColumnType } from 'kysely';

export interface AgentTable {
  id: string;
  org_id: string;
  instructions: string;
  model: string | null;
  tools: string[] | null;
  settings: JSONColumnType<Record<string, unknown>>;
  active_space_id: string | null;
  forked_from: string | null;
  forked_at_cycle: number | null;
  version: Generated<number>;
  updated_at: Generated<Date>;
}
