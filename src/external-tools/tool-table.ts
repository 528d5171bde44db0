import type { Generated, JSONColumnType } from 'kysely';

export interface ToolTable {
  id: string;
  org_id: string;
  name: string;
  description: string;
  input_schema: JSONColumnType<object>;
  kind: 'external';
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
