import type { Generated } from 'kysely';

export interface GoalTable {
  agent_id: string;
  id: string;
  org_id: string;
  description: string;
  status: Generated<string>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
