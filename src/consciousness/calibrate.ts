import { sql } from 'kysely';

import type { Trx } from '../db/open-database.ts';

// A provider that reports nonsense must not make an agent forget, or overflow.
const LOWEST = 0.3;
const HIGHEST = 4;

type Measured = { system: number; tools: number; messages: number; reported?: number };

/** Learns from the last request of a cycle how many tokens this agent's text really takes at its model. */
export async function calibrate(
  trx: Trx,
  run: { agentId: string; model: string },
  measured: Measured | undefined,
): Promise<void> {
  const estimated = measured === undefined ? 0 : measured.system + measured.tools + measured.messages;
  const reported = measured?.reported ?? 0;
  if (estimated === 0 || reported === 0) return;
  const ratio = Math.min(HIGHEST, Math.max(LOWEST, reported / estimated));
  // Half the old value: one odd request moves it little, five ordinary ones settle it. Another model starts anew.
  await sql`
    update consciousness set
      calibration = case when calibration_model = ${run.model} then (calibration + ${ratio}::float8) / 2 else ${ratio}::float8 end,
      calibration_model = ${run.model}
    where agent_id = ${run.agentId}::uuid`.execute(trx);
}

/** What was learnt with another model says nothing about this one. */
export function calibrationFor(head: { calibration: number; calibrationModel: string | null }, model: string): number {
  return head.calibrationModel === model ? head.calibration : 1;
}
