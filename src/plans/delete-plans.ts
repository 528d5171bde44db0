import { lockAgent } from '../agents/lock-agent.ts';
import type { Trx } from '../db/open-database.ts';
import type { PlanOwner } from './plan.ts';

/** Returns the ids that were there. They run no more from now on; their Schedules go as soon as Temporal hears of it. */
export async function deletePlans(trx: Trx, owner: PlanOwner, ids: string[]): Promise<string[]> {
  await lockAgent(trx, owner.orgId, owner.agentId);
  const rows = await trx
    .updateTable('plans')
    .set({ deleted_at: new Date() })
    .where('org_id', '=', owner.orgId)
    .where('agent_id', '=', owner.agentId)
    .where('name', 'in', ids)
    .where('deleted_at', 'is', null)
    .returning('name')
    .execute();
  return rows.map((row) => row.name);
}

/** All of an agent's, with their words: only the ids stay, until their Schedules are gone. */
export async function erasePlans(trx: Trx, agentId: string): Promise<void> {
  await trx
    .updateTable('plans')
    .set({ deleted_at: new Date(), name: '', instruction: '' })
    .where('agent_id', '=', agentId)
    .execute();
}
