import type { ThinkOutcome } from '../../workflows/contract.ts';
import type { Db } from '../db/open-database.ts';
import { appendEvents } from '../stream/append-events.ts';
import type { Run } from './begin-run.ts';
import { commitRun, salvage } from './end-run.ts';
import { holdFence } from './fence.ts';
import { spacesConcerned } from './spaces-concerned.ts';

// A cycle that fails this often goes to the dead-letter list, where a person can see and retry it.
const FAILED_CYCLES = 3;

/** Keeps what was finished, drops what was not, and lets the next event wake the agent as usual. */
export async function stopRun(db: Db, run: Run, reason: string): Promise<ThinkOutcome> {
  const { steps, generations } = await salvage(db, run, reason);
  return { kind: 'stopped', ...(await commitRun(db, run, steps, { status: 'stopped', reason, generations })) };
}

/** A failed cycle is tried again later as the same run, behind its last journaled step; the third failure is the last. */
export async function failRun(db: Db, run: Run, reason: string, baseMs: number): Promise<ThinkOutcome> {
  const failures = run.failures + 1;
  if (failures >= FAILED_CYCLES) return giveUpRun(db, { ...run, failures }, reason);
  const retryInMs = baseMs * 5 ** failures;
  const data = { agentId: run.agentId, runId: run.id, try: failures, waitMs: retryInMs, reason };
  await db.transaction().execute(async (trx) => {
    await holdFence(trx, run);
    await trx.updateTable('runs').set({ failures, error: reason }).where('id', '=', run.id).execute();
    for (const spaceId of spacesConcerned(run))
      await appendEvents(trx, run.orgId, spaceId, [{ type: 'agent.retrying', data }]);
  });
  return { kind: 'failed', cycle: run.cycle - 1, consumed: [], more: false, retryInMs };
}

/** The events go to the dead-letter list; what the run already did stays in the agent's memory. */
export async function giveUpRun(db: Db, run: Run, reason: string): Promise<ThinkOutcome> {
  const { steps, generations } = await salvage(db, run, reason);
  const failed = { ...run, failures: Math.max(run.failures, 1) };
  return { kind: 'failed', ...(await commitRun(db, failed, steps, { status: 'failed', reason, generations })) };
}
