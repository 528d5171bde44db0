import { Context } from '@temporalio/activity';

import type { ThinkInput, ThinkOutcome } from '../workflows/contract.ts';
import { loadAgent, type AgentConfig } from '../src/agents/load-agent.ts';
import { calibrationFor } from '../src/consciousness/calibrate.ts';
import { loadWindow, type Window } from '../src/consciousness/load-window.ts';
import { pruneReasoning } from '../src/consciousness/prune-reasoning.ts';
import type { Run } from '../src/cycle/begin-run.ts';
import { crashPoint } from '../src/cycle/crash-point.ts';
import { createCycleWatch, type CycleWatch } from '../src/cycle/cycle-watch.ts';
import { commitRun, isSkip, skipReason, skipRun } from '../src/cycle/end-run.ts';
import { failRun, giveUpRun, stopRun } from '../src/cycle/settle-run.ts';
import type { Db } from '../src/db/open-database.ts';
import { isAppError, AppError } from '../src/errors.ts';
import { followUpOf } from '../src/inbox/follow-up.ts';
import { waitToGather } from '../src/inbox/wait-to-gather.ts';
import type { Runtime } from '../src/runtime.ts';
import { activeSpace } from '../src/spaces/active-space.ts';
import type { SpaceWithMembers } from '../src/spaces/spaces-of.ts';
import type { BuiltInTool } from '../src/tools/built-in-tool.ts';
import { builtInTools } from '../src/tools/toolset.ts';
import { claim } from './claim.ts';
import { converse, type Conversation } from './converse.ts';
import { toFailure } from './failures.ts';
import { keepAlive } from './keep-alive.ts';
import { readMind } from './read-mind.ts';

/** A think cycle: claim → recall → prompt → model and tools → remember. */
export function think(runtime: Runtime) {
  const builtIns = builtInTools({
    ring: (agentIds) => runtime.dispatcher.ring(agentIds),
    embedder: runtime.embedder,
    floorSeconds: runtime.config.planFloorSeconds,
    wakePlanner: () => runtime.planner.wake(),
  });
  return async ({ agentId, runId }: ThinkInput): Promise<ThinkOutcome> => {
    const stopBeating = keepAlive(runtime, agentId);
    try {
      const agent = await loadAgent(runtime.db, agentId);
      if (agent === undefined) throw new AppError('not-found', `agent ${agentId} was deleted`);
      const past = lookBack(runtime.db, agentId);
      const owner = { orgId: agent.orgId, agentId };
      const [mind] = await Promise.all([readMind(runtime.db, owner), waitToGather(runtime.db, agent)]);
      const { beginning, spaces } = await claim(runtime, agent, runId, mind);
      if (beginning.kind === 'empty') return { kind: 'empty', cycle: beginning.cycle, consumed: [], more: false };
      if (beginning.kind === 'ended') return { ...beginning, kind: beginning.status };
      crashPoint('cycle.after_claim');
      const watch = createCycleWatch(runtime, beginning.run);
      return await watch.cycle(() => live(runtime, { agent, run: beginning.run, past, spaces, builtIns, watch }));
    } catch (error) {
      throw toFailure(error);
    } finally {
      stopBeating();
    }
  };
}

type Past = { window: Window; activeSpaceId: string | undefined };

/** What the agent goes on from, read beside the claim and not behind it: nothing but its own cycles changes it. */
function lookBack(db: Db, agentId: string): (run: Run) => Promise<Past> {
  const early = Promise.all([loadWindow(db, agentId), activeSpace(db, agentId)]);
  early.catch(() => undefined); // whoever asks for it hears of it
  return async (run) => {
    const [window, space] = await early;
    // An attempt that was slow to die may have ended a cycle in between.
    const current = window.cycleCount === run.cycle - 1 ? window : await loadWindow(db, agentId);
    return { window: current, activeSpaceId: space?.id };
  };
}

type Cycle = {
  agent: AgentConfig;
  run: Run;
  past: (run: Run) => Promise<Past>;
  spaces: SpaceWithMembers[];
  builtIns: BuiltInTool[];
  watch: CycleWatch;
};

async function live(runtime: Runtime, { agent, run, past, spaces, builtIns, watch }: Cycle): Promise<ThinkOutcome> {
  const { db, writer, log } = runtime;
  const started = Date.now();
  let conversation: Conversation;
  try {
    const { window, activeSpaceId } = await past(run);
    watch.recalled(window.tokenEstimate);
    conversation = await converse({
      db,
      writer,
      watch,
      run,
      agent,
      spaces,
      activeSpaceId,
      window: pruneReasoning(window.messages),
      calibration: calibrationFor(window, run.model),
      model: runtime.models.get(run.model),
      facts: runtime.models.facts(run.model),
      builtIns,
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
  const { continuationPrompt } = agent.settings;
  const unfinished = stopReason === 'step-limit' && continuationPrompt !== undefined;
  const ended = await commitRun(db, run, steps, {
    status: 'committed',
    reason: stopReason,
    generations,
    context,
    followUp: unfinished
      ? followUpOf(run.events, continuationPrompt, runtime.models.facts(run.model).continuations)
      : undefined,
  });
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
