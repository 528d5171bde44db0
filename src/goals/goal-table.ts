import type { Generated, GeneratedAlways } from 'kysely';

export interface GoalTable {
  agent_id: string;
  id: string;
  org_id: string;
  description: string;
  status: Generated<string>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface GoalChangeTable {
  seq: GeneratedAlways<number>;
  org_id: string;
  agent_id: string;
  /** The change holds after this cycle. */
  cycle: number;
  goal_id: string;
  /** Null: deleted. */
  description: string | null;
  status: string | null;
  created_at: Generated<Date>;
}
