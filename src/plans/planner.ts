import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';

import type { Db } from '../db/open-database.ts';
import { errorMessage } from '../errors.ts';
import { firePlan, passOver } from './fire-plan.ts';
import { lookAtSchedule, putSchedule, removeSchedule } from './schedule.ts';

/** Keeps the Temporal Schedules what the rows of plans say. */
export type Planner = {
  /** Some plan changed. Returns at once; call it after commit. */
  wake(): void;
  close(): Promise<void>;
};

type Deps = { db: Db; client: Client; taskQueue: string; log: Logger; ring: (agentIds: string[]) => void };

// Finds what a process left behind that died between commit and Temporal, and runs that Temporal's clock passed over.
const SWEEP_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const SWEEP_LIMIT = 100;
// Temporal fires within a second even on a busy machine. Later than this, something is wrong with the Schedule, or a
// change of clocks is on: Temporal leaves out a time of day that does not exist, and takes some twice.
const OVERDUE_MS = 5_000;
const LOOK_AGAIN_MS = 60_000;

export function createPlanner(deps: Deps): Planner {
  const lookedAt = new Map<string, number>();
  let closed = false;
  let working: Promise<void> | undefined;
  let again = false;
  let failures = 0;
  let notBefore = 0;

  const pass = async (): Promise<void> => {
    try {
      await syncAll(deps);
      await fireOverdue(deps, lookedAt);
      failures = 0;
    } catch (error) {
      failures += 1;
      const pause = Math.min(SWEEP_MS * 2 ** failures, LONGEST_PAUSE_MS);
      notBefore = Date.now() + pause;
      const { log } = deps;
      log.warn(
        { error: errorMessage(error) },
        `plans and Schedules could not be compared; again in ${pause / 1_000} s`,
      );
    }
  };
  const work = (): void => {
    if (closed) return;
    if (working !== undefined) {
      again = true;
      return;
    }
    again = false;
    working = pass().finally(() => {
      working = undefined;
      if (again) work();
    });
  };
  const timer = setInterval(() => {
    if (working === undefined && Date.now() >= notBefore) work();
  }, SWEEP_MS);

  return {
    wake: work,
    async close() {
      closed = true;
      clearInterval(timer);
      await working;
    },
  };
}

/** Every row whose Schedule is not what it says. One that fails does not hold up the others. */
async function syncAll(deps: Deps): Promise<void> {
  const rows = await deps.db
    .selectFrom('plans')
    .select('id')
    .where(({ eb, or, ref }) => or([eb('synced_version', '<', ref('version')), eb('deleted_at', 'is not', null)]))
    .orderBy('id')
    .limit(SWEEP_LIMIT)
    .execute();
  let fault: unknown;
  for (const { id } of rows) await syncOne(deps, id).catch((error: unknown) => (fault ??= error));
  if (fault !== undefined) throw fault;
}

/** Under the row's lock, so that two processes cannot leave an older timing behind a newer one. */
async function syncOne(deps: Deps, planId: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const plan = await trx
      .selectFrom('plans')
      .innerJoin('entities as agent', 'agent.id', 'plans.agent_id')
      .selectAll('plans')
      .select('agent.name as agent_name')
      .where('plans.id', '=', planId)
      .forUpdate('plans')
      .skipLocked()
      .executeTakeFirst();
    if (plan === undefined) return; // another process is at it
    if (plan.deleted_at !== null) {
      await removeSchedule(deps, planId);
      await trx.deleteFrom('plans').where('id', '=', planId).execute();
      return;
    }
    if (plan.status === 'active')
      await putSchedule(deps, plan).catch((error: unknown) => warnOfRefusal(deps, plan, error));
    else await removeSchedule(deps, planId); // it has run; what the Web UI lists is still to come
    await trx.updateTable('plans').set({ synced_version: plan.version }).where('id', '=', planId).execute();
  });
}

/** A timing that Temporal does not take, such as a zone it has not heard of yet: the sweep fires it by its row. */
function warnOfRefusal({ log }: Deps, plan: { name: string; agent_id: string }, error: unknown): void {
  if (!(error instanceof TypeError)) throw error; // the SDK's word for an invalid argument
  const { name, agent_id: agentId } = plan;
  log.warn({ agentId, plan: name, error: error.message }, 'Temporal takes no Schedule of this plan');
}

/** The rows are the record: what they await and Temporal's clock did not strike is fired from here. */
async function fireOverdue(deps: Deps, lookedAt: Map<string, number>): Promise<void> {
  const now = Date.now();
  for (const [id, at] of lookedAt) if (now - at > LOOK_AGAIN_MS) lookedAt.delete(id);
  const rows = await deps.db
    .selectFrom('plans')
    .select(['id', 'name'])
    .where('deleted_at', 'is', null)
    .where('next_run_at', '<', new Date(now - OVERDUE_MS))
    .$if(lookedAt.size > 0, (query) => query.where('id', 'not in', [...lookedAt.keys()]))
    .orderBy('next_run_at')
    .limit(SWEEP_LIMIT)
    .execute();
  for (const { id, name } of rows) {
    const schedule = await lookAtSchedule(deps, id);
    if (schedule === 'paused') {
      await deps.db.transaction().execute((trx) => passOver(trx, id));
      lookedAt.set(id, now); // one that runs once stays due until somebody unpauses it
      continue;
    }
    if (schedule === 'gone') await makeAnew(deps, id);
    const agentId = await deps.db.transaction().execute((trx) => firePlan(trx, id));
    if (agentId === undefined) continue;
    deps.log.info({ agentId, plan: name, schedule }, 'an overdue plan was fired by the sweep');
    deps.ring([agentId]);
  }
}

async function makeAnew({ db }: Deps, planId: string): Promise<void> {
  await db
    .updateTable('plans')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', planId)
    .execute();
}
