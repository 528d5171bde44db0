import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

export type InboxEventType = 'message' | 'plan' | 'tool_result' | 'service' | 'heartbeat';
export type InboxStatus = 'pending' | 'claimed' | 'done' | 'skipped' | 'dead';

export interface InboxEventTable {
  id: string;
  org_id: string;
  agent_id: string;
  position: GeneratedAlways<number>;
  type: InboxEventType;
  space_id: string | null;
  message_id: string | null;
  sender_id: string | null;
  urgent: Generated<boolean>;
  payload: JSONColumnType<object> | null;
  status: Generated<InboxStatus>;
  run_id: string | null;
  joined_step: number | null;
  failures: Generated<number>;
  rings: Generated<number>;
  error: string | null;
  created_at: Generated<Date>;
  dispatched_at: Date | null;
  ended_at: Date | null;
}
