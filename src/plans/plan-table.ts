import type { Generated } from 'kysely';

export type PlanStatus = 'active' | 'done';

export interface PlanTable {
  id: string;
  org_id: string;
  agent_id: string;
  /** What the agent and its owner call it. */
  name: string;
  instruction: string;
  /** Null: runs once. */
  cron: string | null;
  time_zone: string | null;
  /** When a plan that runs once was to run; null for a cron. */
  scheduled_at: Date | null;
  status: Generated<PlanStatus>;
  /** The run that is awaited; null once there is none. */
  next_run_at: Date | null;
  /** When `next_run_at` became what it is. */
  retimed_at: Generated<Date>;
  /** When the last run was due, not when it came. */
  last_run_at: Date | null;
  runs: Generated<number>;
  version: Generated<number>;
  synced_version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  deleted_at: Date | null;
}
