import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { AppError } from '../errors.ts';
import type { AgentActivity } from '../stream/space-event.ts';
import { resolveSettings, type AgentSettings } from './settings.ts';

/** An agent as its owner sees it. */
export type Agent = {
  id: string;
  name: string;
  instructions: string;
  /** Null: the server's default model. */
  model: string | null;
  /** Null: every built-in tool, and none of the organisation's. */
  tools: string[] | null;
  settings: AgentSettings;
  activeSpaceId: string | null;
  /** The agent whose past this one has, up to that cycle. */
  forkedFrom: string | null;
  forkedAtCycle: number | null;
  status: AgentActivity;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export async function listAgents(db: Db, orgId: string, page: PageRequest): Promise<Page<Agent>> {
  const rows = await selectAgents(db, orgId)
    .$if(page.afterId !== undefined, (query) => query.where('agents.id', '>', page.afterId!))
    .orderBy('agents.id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toAgent);
}

export async function getAgent(db: Db | Trx, orgId: string, agentId: string): Promise<Agent> {
  const row = await selectAgents(db, orgId).where('agents.id', '=', agentId).executeTakeFirst();
  if (row === undefined) throw noSuchAgent(agentId);
  return toAgent(row);
}

export async function requireAgent(db: Db | Trx, orgId: string, agentId: string): Promise<void> {
  const row = await livingAgents(db, orgId).select('agents.id').where('agents.id', '=', agentId).executeTakeFirst();
  if (row === undefined) throw noSuchAgent(agentId);
}

export function noSuchAgent(agentId: string): AppError {
  return new AppError('not-found', `there is no agent ${agentId}`);
}

function livingAgents(db: Db | Trx, orgId: string) {
  return db
    .selectFrom('agents')
    .innerJoin('entities', 'entities.id', 'agents.id')
    .where('agents.org_id', '=', orgId)
    .where('entities.deleted_at', 'is', null);
}

function selectAgents(db: Db | Trx, orgId: string) {
  return livingAgents(db, orgId).select((eb) => [
    'agents.id',
    'entities.name',
    'entities.created_at',
    'agents.instructions',
    'agents.model',
    'agents.tools',
    'agents.settings',
    'agents.active_space_id',
    'agents.forked_from',
    'agents.forked_at_cycle',
    'agents.version',
    'agents.updated_at',
    // Only the newest run can be under way, and the index finds it at any age of the agent.
    eb
      .selectFrom('runs')
      .select(sql<AgentActivity>`case when runs.status = 'running' then 'thinking' else 'asleep' end`.as('status'))
      .whereRef('runs.agent_id', '=', 'agents.id')
      .orderBy('runs.started_at', 'desc')
      .limit(1)
      .as('status'),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectAgents>['executeTakeFirstOrThrow']>>;

function toAgent(row: Row): Agent {
  return {
    id: row.id,
    name: row.name,
    instructions: row.instructions,
    model: row.model,
    tools: row.tools,
    settings: resolveSettings(row.settings),
    activeSpaceId: row.active_space_id,
    forkedFrom: row.forked_from,
    forkedAtCycle: row.forked_at_cycle,
    status: row.status ?? 'asleep',
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
