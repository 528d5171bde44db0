import type { Trx } from '../db/open-database.ts';
import { getAgent, noSuchAgent, type Agent } from './agent.ts';
import type { NewAgent } from './create-agent.ts';

type Given<Changes> = { [Name in keyof Changes]?: Changes[Name] | undefined };

/** `null` for a setting puts it back to its default. */
export type AgentChanges = Given<Omit<NewAgent, 'settings'>> & { settings?: Record<string, unknown> | undefined };

/** Raises the version, so that every run tells which configuration it ran with. */
export async function updateAgent(trx: Trx, orgId: string, agentId: string, changes: AgentChanges): Promise<Agent> {
  const { name, instructions, model, tools, settings } = changes;
  const row = await trx
    .selectFrom('agents')
    .innerJoin('entities', 'entities.id', 'agents.id')
    .select('agents.settings')
    .where('agents.id', '=', agentId)
    .where('agents.org_id', '=', orgId)
    .where('entities.deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw noSuchAgent(agentId);

  const merged = Object.entries({ ...row.settings, ...settings }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  await trx
    .updateTable('agents')
    .set((eb) => ({
      ...(instructions !== undefined && { instructions }),
      ...(model !== undefined && { model }),
      ...(tools !== undefined && { tools }),
      ...(settings !== undefined && { settings: JSON.stringify(Object.fromEntries(merged)) }),
      version: eb('version', '+', 1),
      updated_at: new Date(),
    }))
    .where('id', '=', agentId)
    .execute();
  if (name !== undefined) await trx.updateTable('entities').set({ name }).where('id', '=', agentId).execute();
  return getAgent(trx, orgId, agentId);
}
