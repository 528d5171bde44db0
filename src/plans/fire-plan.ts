import { createHash } from 'node:crypto';

import type { Trx } from '../db/open-database.ts';
import { countRuns, nextRun } from './cron.ts';

/** What an agent is told when a plan of its own comes due. */
export type PlanPayload = {
  plan: string;
  instruction: string;
  dueAt: string;
  /** Absent when this was the only run. */
  nextRunAt?: string;
  /** Later runs that came and went while nothing was running. */
  missed?: number;
};

/**
 * Puts the awaited run of a plan into its agent's inbox, if it is due, and awaits the next one. Whoever asks, however
 * often and however late: a run is delivered once, and several that were missed are one. Names the agent, which the
 * caller rings once this is committed; undefined when nothing was due.
 */
export async function firePlan(
  trx: Trx,
  planId: string,
  /** `struck`: the time that Temporal's clock says it is, should ours be behind. */
  { struck, now = new Date() }: { struck?: Date; now?: Date } = {},
): Promise<string | undefined> {
  if (!(await lockOwner(trx, planId))) return undefined;
  const plan = await trx
    .selectFrom('plans')
    .selectAll()
    .where('id', '=', planId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  const due = plan?.next_run_at;
  const time = struck === undefined || struck < now ? now : struck;
  if (plan === undefined || due === null || due === undefined || due > time) return undefined;

  const { cron, time_zone: timeZone } = plan;
  const next = cron === null ? undefined : nextRun(cron, timeZone ?? 'UTC', time);
  const missed = cron === null ? 0 : countRuns(cron, timeZone ?? 'UTC', due, time);
  const payload: PlanPayload = {
    plan: plan.name,
    instruction: plan.instruction,
    dueAt: due.toISOString(),
    ...(next !== undefined && { nextRunAt: next.toISOString() }),
    ...(missed > 0 && { missed }),
  };
  await trx
    .insertInto('inbox_events')
    .values({
      id: runId(planId, due),
      org_id: plan.org_id,
      agent_id: plan.agent_id,
      type: 'plan',
      payload: JSON.stringify(payload),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .updateTable('plans')
    .set({
      last_run_at: due,
      runs: plan.runs + 1,
      next_run_at: next ?? null,
      retimed_at: now,
      ...(next === undefined && { status: 'done' as const, version: plan.version + 1 }), // its Schedule can go
    })
    .where('id', '=', planId)
    .execute();
  return plan.agent_id;
}

/** A recurring plan that somebody paused awaits its next run instead: what it missed on purpose is not caught up on. */
export async function passOver(trx: Trx, planId: string, now = new Date()): Promise<void> {
  const plan = await trx.selectFrom('plans').selectAll().where('id', '=', planId).forUpdate().executeTakeFirst();
  if (plan?.next_run_at === null || plan?.cron === null || plan === undefined || plan.next_run_at > now) return;
  await trx
    .updateTable('plans')
    .set({ next_run_at: nextRun(plan.cron, plan.time_zone ?? 'UTC', now)!, retimed_at: now })
    .where('id', '=', planId)
    .execute();
}

/** The agent before the plan, as an erasure takes them; false when either is gone. */
async function lockOwner(trx: Trx, planId: string): Promise<boolean> {
  const agent = await trx
    .selectFrom('entities')
    .innerJoin('agents', 'agents.id', 'entities.id')
    .innerJoin('plans', 'plans.agent_id', 'agents.id')
    .select('agents.id')
    .where('plans.id', '=', planId)
    .where('entities.deleted_at', 'is', null)
    .forNoKeyUpdate(['agents', 'entities'])
    .executeTakeFirst();
  return agent !== undefined;
}

/** The same for the same run of the same plan, whoever fires it: a UUIDv8 of both. */
function runId(planId: string, due: Date): string {
  const hex = createHash('sha256').update(`${planId} ${due.toISOString()}`).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0b11) | 0b1000).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
