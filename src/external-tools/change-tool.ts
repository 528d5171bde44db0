import { sql } from 'kysely';

import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { noSuchTool, TOOL_COLUMNS, toExternalTool, type ExternalTool } from './external-tool.ts';

export type NewTool = { name: string; description: string; inputSchema: object; kind: 'external' };

export async function createTool(trx: Trx, orgId: string, input: NewTool): Promise<ExternalTool> {
  const { name, description, inputSchema, kind } = input;
  const row = await trx
    .insertInto('tools')
    .values({ id: newId(), org_id: orgId, name, description, input_schema: JSON.stringify(inputSchema), kind })
    .onConflict((conflict) => conflict.columns(['org_id', 'name']).doNothing())
    .returning(TOOL_COLUMNS)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('conflict', `there is a tool ${name} already; change it or choose a name`);
  return toExternalTool(row);
}

/** Holds from the next cycle of each agent that has the tool. */
export async function updateTool(
  trx: Trx,
  orgId: string,
  toolId: string,
  changes: { description?: string | undefined; inputSchema?: object | undefined },
): Promise<ExternalTool> {
  const { description, inputSchema } = changes;
  const row = await trx
    .updateTable('tools')
    .set({
      ...(description !== undefined && { description }),
      ...(inputSchema !== undefined && { input_schema: JSON.stringify(inputSchema) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', toolId)
    .where('org_id', '=', orgId)
    .returning(TOOL_COLUMNS)
    .executeTakeFirst();
  if (row === undefined) throw noSuchTool(toolId);
  return toExternalTool(row);
}

/** Also from the agents that have it: a later tool of that name is not theirs unseen. Open calls can still be answered. */
export async function deleteTool(trx: Trx, orgId: string, toolId: string): Promise<void> {
  const row = await trx
    .deleteFrom('tools')
    .where('id', '=', toolId)
    .where('org_id', '=', orgId)
    .returning('name')
    .executeTakeFirst();
  if (row === undefined) throw noSuchTool(toolId);
  await sql`
    update agents set tools = array_remove(tools, ${row.name}::text), version = version + 1, updated_at = now()
    where org_id = ${orgId}::uuid and ${row.name}::text = any(tools)`.execute(trx);
}
