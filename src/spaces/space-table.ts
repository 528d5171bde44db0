import type { Generated } from 'kysely';

import type { EntityKind } from '../entities/entity-table.ts';

export interface SpaceTable {
  id: string;
  org_id: string;
  name: string;
  message_seq: Generated<number>;
  event_seq: Generated<number>;
  created_at: Generated<Date>;
}

export interface MemberTable {
  space_id: string;
  entity_id: string;
  org_id: string;
  joined_at: Generated<Date>;
}

export interface MessageTable {
  id: string;
  org_id: string;
  space_id: string;
  seq: number;
  sender_id: string;
  sender_name: string;
  sender_kind: EntityKind;
  text: string;
  urgent: Generated<boolean>;
  run_id: string | null;
  created_at: Generated<Date>;
}
