import type { Selectable } from 'kysely';

import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { AppError } from '../errors.ts';
import type { ToolTable } from './tool-table.ts';

/** A tool whose work is done elsewhere: its calls are listed, and answered when somebody has an answer. */
export type ExternalTool = {
  id: string;
  name: string;
  description: string;
  inputSchema: object;
  kind: 'external';
  createdAt: string;
  updatedAt: string;
};

export const TOOL_COLUMNS = [
  'id',
  'name',
  'description',
  'input_schema',
  'kind',
  'created_at',
  'updated_at',
] as const satisfies (keyof ToolTable)[];

export async function listTools(db: Db, orgId: string, page: PageRequest): Promise<Page<ExternalTool>> {
  const rows = await db
    .selectFrom('tools')
    .select(TOOL_COLUMNS)
    .where('org_id', '=', orgId)
    .$if(page.afterId !== undefined, (query) => query.where('id', '>', page.afterId!))
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toExternalTool);
}

export async function getTool(db: Db, orgId: string, toolId: string): Promise<ExternalTool> {
  const row = await db
    .selectFrom('tools')
    .select(TOOL_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', toolId)
    .executeTakeFirst();
  if (row === undefined) throw noSuchTool(toolId);
  return toExternalTool(row);
}

export function noSuchTool(toolId: string): AppError {
  return new AppError('not-found', `there is no tool ${toolId}`);
}

export function toExternalTool(row: Pick<Selectable<ToolTable>, (typeof TOOL_COLUMNS)[number]>): ExternalTool {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    inputSchema: row.input_schema,
    kind: row.kind,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
