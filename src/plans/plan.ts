import { sql } from 'kysely';
import { z } from 'zod';

import type { Db, Trx } from '../db/open-database.ts';
import { wellFormed } from '../db/well-formed.ts';
import type { PlanStatus } from './plan-table.ts';

/** Something an agent will be woken for, once or again and again. Its id is a name that the agent or its owner gave it. */
export type Plan = {
  id: string;
  instruction: string;
  status: PlanStatus;
  recurring: boolean;
  cron: string | null;
  timeZone: string | null;
  scheduledAt: string | null;
  nextRunAt: string | null;
  lastRunAt: string | null;
  runs: number;
  createdAt: string;
  updatedAt: string;
};

export type PlanOwner = { orgId: string; agentId: string };

const text = (most: number) => z.string().overwrite(wellFormed).trim().min(1).max(most);

export const planFields = {
  id: text(100),
  instruction: text(2_000),
  runAfter: z.string().max(60),
  scheduledAt: z.string().max(60),
  cron: z.string().max(200),
  timeZone: z.string().max(60),
};

export function livingPlans(db: Db | Trx, { orgId, agentId }: PlanOwner) {
  return db
    .selectFrom('plans')
    .where('org_id', '=', orgId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null);
}

/** `untold`: its next run has changed since the last cycle that the agent remembers. */
export type ActivePlan = Plan & { untold: boolean };

/** What is still to come, in the order in which it was set: equal plans give an equal prompt, whatever ran meanwhile. */
export async function activePlans(db: Db | Trx, owner: PlanOwner): Promise<ActivePlan[]> {
  const rows = await livingPlans(db, owner)
    .select(PLAN_COLUMNS)
    .select((eb) =>
      eb(
        'retimed_at',
        '>',
        eb.fn.coalesce(
          eb.selectFrom('consciousness').select('last_cycle_at').where('agent_id', '=', owner.agentId),
          sql<Date>`'-infinity'::timestamptz`,
        ),
      ).as('untold'),
    )
    .where('status', '=', 'active')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...toPlan(row), untold: Boolean(row.untold) }));
}

export const PLAN_COLUMNS = [
  'name',
  'instruction',
  'status',
  'cron',
  'time_zone',
  'scheduled_at',
  'next_run_at',
  'last_run_at',
  'runs',
  'created_at',
  'updated_at',
] as const;

export function toPlan(row: {
  name: string;
  instruction: string;
  status: PlanStatus;
  cron: string | null;
  time_zone: string | null;
  scheduled_at: Date | null;
  next_run_at: Date | null;
  last_run_at: Date | null;
  runs: number;
  created_at: Date;
  updated_at: Date;
}): Plan {
  return {
    id: row.name,
    instruction: row.instruction,
    status: row.status,
    recurring: row.cron !== null,
    cron: row.cron,
    timeZone: row.time_zone,
    scheduledAt: row.scheduled_at?.toISOString() ?? null,
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    lastRunAt: row.last_run_at?.toISOString() ?? null,
    runs: row.runs,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
