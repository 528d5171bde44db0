import { resolveSettings } from '../agents/settings.ts';
import type { Trx } from '../db/open-database.ts';

/** Whether the agent's memory has outgrown its limit and must be compacted before the next cycle. */
export async function isTooLong(trx: Trx, agentId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('consciousness')
    .innerJoin('agents', 'agents.id', 'consciousness.agent_id')
    .select(['token_estimate', 'calibration', 'settings'])
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  return row.token_estimate * row.calibration > resolveSettings(row.settings).maxConsciousnessTokens;
}
