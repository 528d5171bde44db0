import type { Trx } from '../db/open-database.ts';
import { noSuchAgent } from './agent.ts';

/** Holds a living agent still until commit. Both rows: who waited here for an erasure must see that it happened. */
export async function lockAgent(trx: Trx, orgId: string, agentId: string): Promise<void> {
  const row = await trx
    .selectFrom('agents')
    .innerJoin('entities', 'entities.id', 'agents.id')
    .select('agents.id')
    .where('agents.id', '=', agentId)
    .where('agents.org_id', '=', orgId)
    .where('entities.deleted_at', 'is', null)
    .forNoKeyUpdate(['agents', 'entities'])
    .executeTakeFirst();
  if (row === undefined) throw noSuchAgent(agentId);
}
