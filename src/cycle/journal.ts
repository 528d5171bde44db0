import type { ModelMessage } from 'ai';

import type { Db } from '../db/open-database.ts';
import { holdFence } from './fence.ts';
import { stepUsage, type Generation } from './generation.ts';

export type JournaledStep = { step: number; generation: Generation; injected: ModelMessage[] };

export type StepTiming = { startedAt: Date; firstPartMs: number | null };

export async function readJournal(db: Db, runId: string): Promise<JournaledStep[]> {
  const rows = await db
    .selectFrom('run_steps')
    .select(['step', 'generation', 'injected'])
    .where('run_id', '=', runId)
    .orderBy('step')
    .execute();
  return rows.map((row) => ({ step: row.step, generation: row.generation, injected: row.injected ?? [] }));
}

/** Written before any call of the step runs: after this the model is never asked for the step again. */
export async function journalStep(
  db: Db,
  run: { id: string; orgId: string; fence: number },
  step: JournaledStep & StepTiming & { costUsd: number },
): Promise<void> {
  const usage = stepUsage(step.generation.usage);
  await db.transaction().execute(async (trx) => {
    await holdFence(trx, run);
    await trx
      .insertInto('run_steps')
      .values({
        run_id: run.id,
        step: step.step,
        org_id: run.orgId,
        generation: JSON.stringify(step.generation),
        injected: step.injected.length === 0 ? null : JSON.stringify(step.injected),
        finish_reason: step.generation.finishReason.unified,
        usage: JSON.stringify(usage),
        cost_usd: step.costUsd,
        started_at: step.startedAt,
        first_part_ms: step.firstPartMs,
      })
      .execute();
  });
}
