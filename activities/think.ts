import { Context } from '@temporalio/activity';

import type { ThinkInput, ThinkOutcome } from '../workflows/contract.ts';
import { loadAgent, type AgentConfig } from '../src/agents/load-agent.ts';
import { calibrationFor } from '../src/consciousness/calibrate.ts';
import { loadWindow } from '../src/consciousness/load-window.ts';
import { pruneReasoning } from '../src/consciousness/prune-reasoning.ts';
import { beginRun, type Beginning, type Run } from '../src/cycle/begin-run.ts';
import { converse, type Conversation } from '../src/cycle/converse.ts';
import { crashPoint } from '../src/cycle/crash-point.ts';
import { createCycleWatch, type CycleWatch } from '../src/cycle/cycle-watch.ts';
import { commitRun, isSkip, skipReason, skipRun } from '../src/cycle/end-run.ts';
import { failRun, giveUpRun, stopRun } from '../src/cycle/settle-run.ts';
import { spacesConcerned } from '../src/cycle/stage.ts';
import { isAppError, AppError } from '../src/errors.ts';
import { goalsOf } from '../src/goals/goal.ts';
import { waitToGather } from '../src/inbox/wait-to-gather.ts';
import { firstMemories } from '../src/memory/first-memories.ts';
import { inboxMessage } from '../src/prompts/inbox-message.ts';
import { instructions } from '../src/prompts/instructions.ts';
import { MEMORY_CHARACTERS } from '../src/prompts/memory-lines.ts';
import { relevantMemories } from '../src/prompts/relevant-memories.ts';
import type { Runtime } from '../src/runtime.ts';
import { spacesOf } from '../src/spaces/spaces-of.ts';
import { appendEvents } from '../src/stream/append-events.ts';
import { builtInTools } from '../src/tools/toolset.ts';
import { toFailure } from './failures.ts';
import { keepAlive } from './keep-alive.ts';

/** A think cycle: claim → recall → prompt → model and tools → remember. */
export function think(runtime: Runtime) {
  return async ({ agentId, runId }: ThinkInput): Promise<ThinkOutcome> => {
    const stopBeating = keepAlive(runtime, agentId);
    try {
      const agent = await loadAgent(runtime.db, agentId);
      if (agent === undefined) throw new AppError('not-found', `agent ${agentId} was deleted`);
      const beginning = await claim(runtime, agent, runId);
      if (beginning.kind === 'empty') return { kind: 'empty', cycle: beginning.cycle, consumed: [], more: false };
      if (beginning.kind === 'ended') return { ...beginning, kind: beginning.status };
      crashPoint('cycle.after_claim');
      const watch = createCycleWatch(runtime, beginning.run);
      return await watch.cycle(() => live(runtime, agent, beginning.run, watch));
    } catch (error) {
      throw toFailure(error);
    } finally {
      stopBeating();
    }
  };
}

/** The events of this cycle, with everything the model will be told about them. */
async function claim(runtime: Runtime, agent: AgentConfig, runId: string): Promise<Beginning> {
  await waitToGather(runtime.db, agent);
  return beginRun(runtime.db, {
    agent,
    runId,
    compose: async (trx, events) => {
      const spaces = await spacesOf(trx, agent.id);
      const owner = { orgId: agent.orgId, agentId: agent.id };
      const goals = await goalsOf(trx, owner);
      const memories = await firstMemories(trx, owner, MEMORY_CHARACTERS);
      const volatileMessage = await relevantMemories(trx, { agent, events, memories });
      // With the claim: a transaction of its own for this line would hold up the first words behind it.
      const data = { agentId: agent.id, status: 'thinking', runId } as const;
      for (const spaceId of spacesConcerned({ events })) {
        await appendEvents(trx, agent.orgId, spaceId, [{ type: 'agent.status', data }]);
      }
      return {
        model: agent.model ?? runtime.models.default,
        instructions: instructions({ agent, spaces, goals, memories }),
        volatileMessage,
        inboxMessage: inboxMessage(events, new Date()),
      };
    },
  });
}

async function live(runtime: Runtime, agent: AgentConfig, run: Run, watch: CycleWatch): Promise<ThinkOutcome> {
  const { db, writer, log } = runtime;
  const started = Date.now();
  let conversation: Conversation;
  try {
    const [window, spaces] = await Promise.all([loadWindow(db, agent.id), spacesOf(db, agent.id)]);
    watch.recalled(window.tokenEstimate);
    conversation = await converse({
      db,
      writer,
      watch,
      run,
      agent,
      spaces,
      window: pruneReasoning(window.messages),
      calibration: calibrationFor(window, run.model),
      model: runtime.models.get(run.model),
      facts: runtime.models.facts(run.model),
      builtIns: builtInTools({ ring: (agentIds) => runtime.dispatcher.ring(agentIds), embedder: runtime.embedder }),
      retryBaseMs: runtime.config.modelRetryBaseMs,
      idleMs: runtime.config.modelIdleMs,
      signal: Context.current().cancellationSignal,
    });
  } catch (error) {
    await writer.drained();
    return trouble(runtime, run, error);
  }

  await writer.drained();
  const { steps, generations, stopReason, context } = conversation;
  if (isSkip(generations)) {
    const skipped = await skipRun(db, run, generations[0]!);
    log.info({ agent: agent.name, agentId: agent.id, reason: skipReason(generations[0]!) }, `${agent.name} skipped`);
    return { kind: 'skipped', ...skipped };
  }
  crashPoint('cycle.before_commit');
  const ended = await commitRun(db, run, steps, { status: 'committed', reason: stopReason, generations, context });
  crashPoint('cycle.after_commit');
  log.info(
    {
      agentId: agent.id,
      runId: run.id,
      cycle: run.cycle,
      steps: steps.length,
      events: run.events.length,
      ms: Date.now() - started,
    },
    `${agent.name} thought`,
  );
  return { kind: 'committed', ...ended };
}

/** Stopped by a person, refused by the model, or a fault that Temporal should retry. */
async function trouble(runtime: Runtime, run: Run, error: unknown): Promise<ThinkOutcome> {
  const context = Context.current();
  if (context.cancellationSignal.aborted) {
    if (context.cancellationDetails?.cancelRequested === true) return stopRun(runtime.db, run, 'stopped by a person');
    throw error; // the worker shuts down, or another attempt has taken over: the journal has what was done
  }
  if (isAppError(error, 'budget-spent')) return giveUpRun(runtime.db, run, error.message);
  if (isAppError(error, 'model-refused') || isAppError(error, 'model-unavailable')) {
    const outcome = await failRun(runtime.db, run, error.message, runtime.config.modelRetryBaseMs);
    runtime.log.warn(
      { agentId: run.agentId, runId: run.id, error: error.message, retryInMs: outcome.retryInMs },
      'a think cycle failed',
    );
    return outcome;
  }
  throw error;
}
