import { z } from 'zod';

import type { Db, Trx } from '../db/open-database.ts';
import { wellFormed } from '../db/well-formed.ts';

export type Scope = 'agent' | 'organisation';

/** A fact that outlives the cycle in which it was learnt. */
export type Memory = {
  id: string;
  key: string;
  value: string;
  importance: number;
  scope: Scope;
  createdAt: string;
  updatedAt: string;
};

/** Whose memories: one agent's, or with null those that every agent of the organisation has. */
export type MemoryOwner = { orgId: string; agentId: string | null };

/** Who changes one: an agent in this run, or a person. */
export type Author = { agentId: string; runId: string } | 'person';

export const memoryFields = {
  key: z.string().overwrite(wellFormed).trim().min(1).max(100),
  value: z.string().overwrite(wellFormed).min(1).max(2_000),
  importance: z.number().int().min(1).max(10),
};

export function ownMemories(db: Db | Trx, { orgId, agentId }: MemoryOwner) {
  return db.selectFrom('memories').where('org_id', '=', orgId).where('agent_id', 'is not distinct from', agentId);
}

/** The agent's own and the organisation's. */
export function knownMemories(db: Db | Trx, { orgId, agentId }: { orgId: string; agentId: string }) {
  return db
    .selectFrom('memories')
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('agent_id', '=', agentId), eb('agent_id', 'is', null)]));
}

export const MEMORY_COLUMNS = ['id', 'agent_id', 'key', 'value', 'importance', 'created_at', 'updated_at'] as const;

export function toMemory(row: {
  id: string;
  agent_id: string | null;
  key: string;
  value: string;
  importance: number;
  created_at: Date;
  updated_at: Date;
}): Memory {
  return {
    id: row.id,
    key: row.key,
    value: row.value,
    importance: row.importance,
    scope: row.agent_id === null ? 'organisation' : 'agent',
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
