import { z } from 'zod';

import type { Db, Trx } from '../db/open-database.ts';
import { wellFormed } from '../db/well-formed.ts';

/** What an agent wants to reach. Its id is a name that the agent or its owner gave it. */
export type Goal = { id: string; description: string; status: string; createdAt: string; updatedAt: string };

export type GoalOwner = { orgId: string; agentId: string };

const text = (most: number) => z.string().overwrite(wellFormed).trim().min(1).max(most);

export const goalFields = { id: text(100), description: text(1_000), status: text(40) };

/** In the order in which they were set. */
export async function goalsOf(db: Db | Trx, { orgId, agentId }: GoalOwner): Promise<Goal[]> {
  const rows = await db
    .selectFrom('goals')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('agent_id', '=', agentId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toGoal);
}

export function toGoal(row: {
  id: string;
  description: string;
  status: string;
  created_at: Date;
  updated_at: Date;
}): Goal {
  return {
    id: row.id,
    description: row.description,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
