import type { Db } from '../db/open-database.ts';
import { TOOL_COLUMNS, toExternalTool, type ExternalTool } from './external-tool.ts';

/** Of these names, the organisation's tools; in one order, so that the prompt keeps its bytes. */
export async function toolsNamed(db: Db, orgId: string, names: string[]): Promise<ExternalTool[]> {
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('tools')
    .select(TOOL_COLUMNS)
    .where('org_id', '=', orgId)
    .where('name', 'in', names)
    .orderBy('name')
    .execute();
  return rows.map(toExternalTool);
}
