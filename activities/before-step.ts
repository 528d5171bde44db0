import type { ModelMessage, StepResult, ToolSet } from 'ai';

import type { AgentConfig } from '../src/agents/load-agent.ts';
import type { Db } from '../src/db/open-database.ts';
import { joinUrgent, pendingPreview } from '../src/inbox/join-run.ts';
import { previewMessage, urgentMessage } from '../src/prompts/awareness.ts';
import type { Run } from '../src/cycle/begin-run.ts';
import { holdFence } from '../src/cycle/fence.ts';

export type Awareness = {
  /** Urgent events, told in full and kept with the step. */
  injected: ModelMessage[];
  joined: number;
  /** A glance at what waits; for this step only. */
  preview: ModelMessage[];
};

/** What the agent learns of its inbox at a step boundary. Step 0 has its events already. */
export async function lookUp(db: Db, run: Run, agent: AgentConfig, step: number): Promise<Awareness> {
  const { awareness, urgentRules } = agent.settings;
  const nothing: Awareness = { injected: [], joined: 0, preview: [] };
  if (step === 0 || awareness === 'none') return nothing;
  if (awareness !== 'preview') {
    const urgent = await db.transaction().execute(async (trx) => {
      await holdFence(trx, run);
      return joinUrgent(trx, { agentId: agent.id, runId: run.id, step, rules: urgentRules });
    });
    if (urgent.length > 0) return { injected: [urgentMessage(urgent, new Date())], joined: urgent.length, preview: [] };
  }
  if (awareness === 'urgent') return nothing;
  const pending = await pendingPreview(db, agent.id);
  return pending.total === 0 ? nothing : { ...nothing, preview: [previewMessage(pending)] };
}

/**
 * The prompt of a step, built anew: what the cycle began with, then each finished step behind what was injected before
 * it. The SDK carries returned messages forward, so an appended preview would pile up.
 */
export function promptOf(
  initial: ModelMessage[],
  steps: StepResult<ToolSet>[],
  injected: Map<number, ModelMessage[]>,
  step: number,
): ModelMessage[] {
  const told = steps.flatMap((finished, index) => [...(injected.get(index) ?? []), ...finished.response.messages]);
  return [...initial, ...told, ...(injected.get(step) ?? [])];
}
