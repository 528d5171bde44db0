import { lockAgent } from '../agents/lock-agent.ts';
import type { Trx } from '../db/open-database.ts';
import type { MemoryOwner } from './memory.ts';

/** One change at a time per owner, so that the count stays under its limit and nothing is written for an erased agent. */
export async function lockMemories(trx: Trx, { orgId, agentId }: MemoryOwner): Promise<void> {
  if (agentId !== null) return lockAgent(trx, orgId, agentId);
  await trx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}
