import type { Db, Trx } from '../db/open-database.ts';
import { resolveSettings, type AgentSettings } from './settings.ts';

export type AgentConfig = {
  id: string;
  orgId: string;
  name: string;
  instructions: string;
  model: string | undefined;
  tools: string[] | undefined;
  settings: AgentSettings;
  /** The settings that the owner chose, without defaults. */
  given: Record<string, unknown>;
  version: number;
};

/** Read at the start of every cycle, so that a change needs no restart. Undefined once the agent is deleted. */
export async function loadAgent(db: Db | Trx, agentId: string): Promise<AgentConfig | undefined> {
  const row = await db
    .selectFrom('agents')
    .innerJoin('entities', 'entities.id', 'agents.id')
    .select(['agents.id', 'agents.org_id', 'entities.name', 'instructions', 'model', 'tools', 'settings', 'version'])
    .where('agents.id', '=', agentId)
    .where('entities.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    instructions: row.instructions,
    model: row.model ?? undefined,
    tools: row.tools ?? undefined,
    settings: resolveSettings(row.settings),
    given: row.settings,
    version: row.version,
  };
}
