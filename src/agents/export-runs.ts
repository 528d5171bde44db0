import type { Db } from '../db/open-database.ts';
import { exportRows, toExported } from './export-rows.ts';

// Each run has up to a few hundred steps and calls.
const PAGE = 5;

/** Runs with their steps, and steps with their tool calls. */
export async function* exportRuns(db: Db, owner: { orgId: string; agentId: string }): AsyncGenerator<object[]> {
  for await (const runs of exportRows(db, 'runs', owner, PAGE)) {
    const ids = runs.map((run) => String(run['id']));
    const steps = await db.selectFrom('run_steps').selectAll().where('run_id', 'in', ids).orderBy('step').execute();
    const calls = await db
      .selectFrom('tool_calls')
      .selectAll()
      .where('run_id', 'in', ids)
      .orderBy('started_at')
      .orderBy('id')
      .execute();
    yield runs.map((run) => ({
      ...run,
      steps: steps
        .filter((step) => step.run_id === run['id'])
        .map((step) => ({
          ...toExported({ ...step }),
          toolCalls: calls
            .filter((call) => call.run_id === step.run_id && call.step === step.step)
            .map((call) => toExported({ ...call })),
        })),
    }));
  }
}
