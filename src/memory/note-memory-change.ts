import type { Trx } from '../db/open-database.ts';
import { cycleOfChange } from '../agents/cycle-of-change.ts';
import type { Author, MemoryOwner } from './memory.ts';

type Change = { key: string; value: string | null; importance: number | null };

/**
 * Keeps what a memory was after each cycle. The organisation's memories have no cycles and belong to no fork. Written
 * while the memory's row is locked, so seq follows the order in which one key changed.
 */
export async function noteMemoryChange(trx: Trx, owner: MemoryOwner, author: Author, change: Change): Promise<void> {
  if (owner.agentId === null) return;
  await trx
    .insertInto('memory_changes')
    .values({
      org_id: owner.orgId,
      agent_id: owner.agentId,
      cycle: await cycleOfChange(trx, owner.agentId, author === 'person' ? undefined : author.runId),
      ...change,
    })
    .execute();
}
