import type { FireInput, FireOutcome } from '../workflows/contract.ts';
import { crashPoint } from '../src/cycle/crash-point.ts';
import { firePlan as fire } from '../src/plans/fire-plan.ts';
import type { Runtime } from '../src/runtime.ts';

/** Temporal's clock struck for a plan: if its row says the same, it goes into the agent's inbox. */
export function firePlan(runtime: Runtime) {
  return async ({ planId, dueAt }: FireInput): Promise<FireOutcome> => {
    const struck = new Date(dueAt);
    const agentId = await runtime.db.transaction().execute((trx) => fire(trx, planId, { struck }));
    crashPoint('schedule.after_fire');
    if (agentId !== undefined) {
      runtime.dispatcher.ring([agentId]);
      runtime.planner.wake();
    }
    return { fired: agentId !== undefined };
  };
}
