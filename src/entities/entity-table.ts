import type { Generated } from 'kysely';

export type EntityKind = 'human' | 'agent';

export interface EntityTable {
  id: string;
  org_id: string;
  kind: EntityKind;
  name: string;
  created_at: Generated<Date>;
  deleted_at: Date | null;
}
