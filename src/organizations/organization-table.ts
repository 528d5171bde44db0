import type { Generated } from 'kysely';

export interface OrganizationTable {
  id: string;
  name: string;
  created_at: Generated<Date>;
}
