import type { Trx } from '../db/open-database.ts';
import { lockMemories } from './lock-memories.ts';
import type { Author, MemoryOwner } from './memory.ts';
import { noteMemoryChange } from './note-memory-change.ts';

/** Returns the keys that were there. */
export async function deleteMemories(trx: Trx, owner: MemoryOwner, author: Author, keys: string[]): Promise<string[]> {
  await lockMemories(trx, owner);
  const rows = await trx
    .deleteFrom('memories')
    .where('org_id', '=', owner.orgId)
    .where('agent_id', 'is not distinct from', owner.agentId)
    .where('key', 'in', keys)
    .returning('key')
    .execute();
  for (const { key } of rows) await noteMemoryChange(trx, owner, author, { key, value: null, importance: null });
  return rows.map((row) => row.key);
}
