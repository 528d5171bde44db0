import type { SettleInput, ThinkOutcome } from '../workflows/contract.ts';
import { loadAgent } from '../src/agents/load-agent.ts';
import { beginRun } from '../src/cycle/begin-run.ts';
import { giveUpRun, stopRun } from '../src/cycle/settle-run.ts';
import type { Runtime } from '../src/runtime.ts';

/** Ends a run whose think activity could not end it itself. */
export function settle(runtime: Runtime) {
  return async ({ agentId, runId, as, reason }: SettleInput): Promise<ThinkOutcome> => {
    const agent = await loadAgent(runtime.db, agentId);
    if (agent === undefined) return { kind: 'empty', cycle: 0, consumed: [], more: false };
    const beginning = await beginRun(runtime.db, {
      agent,
      runId,
      compose: () => Promise.reject(new Error('a run that never began cannot be settled')),
    });
    if (beginning.kind === 'empty') return { kind: 'empty', cycle: beginning.cycle, consumed: [], more: false };
    if (beginning.kind === 'ended') return { ...beginning, kind: beginning.status };
    return as === 'stopped' ? stopRun(runtime.db, beginning.run, reason) : giveUpRun(runtime.db, beginning.run, reason);
  };
}
