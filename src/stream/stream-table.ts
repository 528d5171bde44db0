import type { Generated, JSONColumnType } from 'kysely';

export interface SpaceEventTable {
  space_id: string;
  seq: number;
  org_id: string;
  type: string;
  data: JSONColumnType<object>;
  draft_id: string | null;
  created_at: Generated<Date>;
}

export interface DraftTable {
  id: string;
  org_id: string;
  space_id: string;
  run_id: string;
  attempt: number;
  created_at: Generated<Date>;
  ended_at: Date | null;
  pruned: Generated<boolean>;
}
