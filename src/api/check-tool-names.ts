import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { TOOL_NAMES } from '../tools/toolset.ts';

/** Refuses names that are neither built in nor the organisation's. The lock keeps the tools there until commit. */
export async function checkToolNames(trx: Trx, orgId: string, names: string[]): Promise<void> {
  const foreign = names.filter((name) => !TOOL_NAMES.includes(name));
  if (foreign.length === 0) return;
  const rows = await trx
    .selectFrom('tools')
    .select('name')
    .where('org_id', '=', orgId)
    .where('name', 'in', foreign)
    .orderBy('name')
    .forKeyShare()
    .execute();
  const known = new Set(rows.map((row) => row.name));
  const fields = names.flatMap((name, index) =>
    TOOL_NAMES.includes(name) || known.has(name)
      ? []
      : [{ path: `tools.${index}`, message: 'is neither a built-in tool nor a tool of this organisation' }],
  );
  if (fields.length > 0) throw new AppError('invalid-request', 'the body is wrong in tools', { fields });
}
