import type { LanguageModelV4 } from '@ai-sdk/provider';
import { streamText, type ModelMessage, type StepResult, type ToolSet } from 'ai';

import type { AgentConfig } from '../src/agents/load-agent.ts';
import type { Db } from '../src/db/open-database.ts';
import { AppError } from '../src/errors.ts';
import { toolsNamed } from '../src/external-tools/tools-named.ts';
import { eventIdsOf } from '../src/inbox/claim-inbox.ts';
import { markInstructions, markMessages } from '../src/models/cache-marks.ts';
import { costOf, type ModelFacts } from '../src/models/model-facts.ts';
import { reasoningOptions } from '../src/models/reasoning.ts';
import { activeSpace } from '../src/spaces/active-space.ts';
import type { SpaceWithMembers } from '../src/spaces/spaces-of.ts';
import { discardOpenDrafts } from '../src/stream/drafts.ts';
import type { EventWriter } from '../src/stream/event-writer.ts';
import type { Warning } from '../src/stream/space-event.ts';
import type { BuiltInTool } from '../src/tools/built-in-tool.ts';
import { TOOL_NAMES } from '../src/tools/toolset.ts';
import { lookUp, promptOf } from './before-step.ts';
import type { Run } from '../src/cycle/begin-run.ts';
import { checkBudget, spendOf } from '../src/cycle/budget.ts';
import { contextFigures, fitContext, WARNING, type ContextFigures } from '../src/cycle/context-guard.ts';
import type { FinishedStep } from '../src/cycle/end-run.ts';
import { crashPoint } from '../src/cycle/crash-point.ts';
import type { CycleWatch } from '../src/cycle/cycle-watch.ts';
import { stepUsage, type Generation } from '../src/cycle/generation.ts';
import { journalStep, readJournal } from '../src/cycle/journal.ts';
import { journaledModel, type StepCursor } from '../src/cycle/journaled-model.ts';
import { phaseGate } from '../src/cycle/phase-gates.ts';
import { createStage } from './stage.ts';
import { createStops, type StopReason } from '../src/cycle/stop-conditions.ts';
import { describeTools, toolsetForRun } from './toolset-for-run.ts';

export type Conversation = {
  steps: FinishedStep[];
  generations: Generation[];
  stopReason: StopReason;
  context: ContextFigures | undefined;
};

export type ConverseInput = {
  db: Db;
  writer: EventWriter;
  watch: CycleWatch;
  run: Run;
  agent: AgentConfig;
  model: LanguageModelV4;
  facts: ModelFacts;
  window: ModelMessage[];
  /** Provider tokens per estimated token. */
  calibration: number;
  spaces: SpaceWithMembers[];
  /** Where the agent is as the cycle begins. */
  activeSpaceId: string | undefined;
  builtIns: BuiltInTool[];
  retryBaseMs: number;
  idleMs: number;
  signal: AbortSignal;
};

/** The one streamText call of a cycle: the model, its tools, all its steps, heard live by the spaces. */
export async function converse(input: ConverseInput): Promise<Conversation> {
  const { db, run, agent, facts } = input;
  const { settings } = agent;
  const window = Math.floor(facts.contextWindow / input.calibration); // in estimated tokens, as everything here
  const written = run.fence > 1 ? await readJournal(db, run.id) : []; // a first attempt has nothing behind it
  const journal = new Map(written.map((step) => [step.step, step]));
  const generations = new Map([...journal].map(([step, entry]) => [step, entry.generation]));
  const injected = new Map([...journal].map(([step, entry]) => [step, entry.injected]));
  if (run.fence > 1) await discardOpenDrafts(db, run);

  const cursor: StepCursor = { step: 0, injected: [] };
  const ending = new AbortController();
  const stage = createStage(input);
  const warned = new Set<string>();
  const warn = (warning: Warning): void => {
    if (warned.has(warning.kind)) return;
    warned.add(warning.kind);
    stage.announce({ type: 'agent.warning', data: warning });
  };

  const overspent = async (): Promise<string | undefined> => {
    if (settings.budget === undefined) return undefined;
    const cycleUsd = [...generations.values()].reduce(
      (sum, said) => sum + costOf(stepUsage(said.usage), facts.price),
      0,
    );
    const state = checkBudget(settings.budget, { ...(await spendOf(db, agent.id)), cycleUsd });
    const [detail] = state.warnings;
    if (detail !== undefined) warn({ agentId: agent.id, runId: run.id, kind: 'budget', detail });
    return state.spent;
  };

  const model = journaledModel({
    model: input.model,
    journal: generations,
    cursor,
    ears: stage.ears,
    watch: input.watch,
    idleMs: input.idleMs,
    retryBaseMs: input.retryBaseMs,
    write: (step) => journalStep(db, run, { ...step, costUsd: costOf(stepUsage(step.generation.usage), facts.price) }),
    continuation:
      settings.continuationPrompt === undefined
        ? undefined
        : { prompt: settings.continuationPrompt, most: facts.continuations },
  });
  const foreign = (agent.tools ?? []).filter((name) => !TOOL_NAMES.includes(name));
  const { tools, fault } = toolsetForRun({
    ...input,
    externals: await toolsNamed(db, run.orgId, foreign),
    stage,
    step: () => cursor.step,
    abort: (reason) => ending.abort(reason),
  });
  const toolText = describeTools(tools);

  // Only an earlier attempt can have brought more events into the run than it began with.
  let eventCount = run.fence > 1 ? (await eventIdsOf(db, run.id)).length : run.events.length;
  const stops = createStops({
    settings,
    eventCount: () => eventCount,
    overspent: async () => (await overspent()) !== undefined,
  });

  const steps: FinishedStep[] = [];
  const results: StepResult<ToolSet>[] = [];
  let context: ContextFigures | undefined;
  try {
    if (generations.size === 0) {
      const spent = await overspent();
      if (spent !== undefined) throw new AppError('budget-spent', spent);
    }
    const result = streamText({
      model,
      instructions: markInstructions(run.model, run.instructions),
      messages: [
        ...input.window,
        ...(run.volatileMessage === undefined ? [] : [run.volatileMessage]),
        run.inboxMessage,
      ],
      tools,
      ...reasoningOptions(run.model, settings, agent.given),
      ...input.watch.forSdk(),
      maxRetries: 0, // tries are ours: they discard drafts, tell the space, and honour Retry-After
      stopWhen: stops.stopWhen,
      abortSignal: AbortSignal.any([input.signal, ending.signal]),
      prepareStep: async ({ stepNumber, steps: finished, initialMessages }) => {
        cursor.step = stepNumber;
        const replayed = generations.has(stepNumber);
        const aware = replayed ? undefined : await lookUp(db, run, agent, stepNumber);
        if (aware !== undefined) injected.set(stepNumber, aware.injected);
        cursor.injected = injected.get(stepNumber) ?? [];
        eventCount += aware?.joined ?? 0;
        stage.enter(stepNumber === 0 ? input.activeSpaceId : (await activeSpace(db, agent.id))?.id);

        const messages = [...promptOf(initialMessages, finished, injected, stepNumber), ...(aware?.preview ?? [])];
        const figure = (shown: ModelMessage[]): ContextFigures =>
          contextFigures({ system: run.instructions, tools: toolText, messages: shown, window });
        const whole = figure(messages);
        const { system, tools: toolTokens, share } = whole;
        const detail = `${Math.round(share * 100)} % of the context window is in use`;
        if (share > WARNING) warn({ agentId: agent.id, runId: run.id, kind: 'context', detail, context: whole });
        const cycleFrom = initialMessages.length - 1; // the inbox message is the last of them
        const fitting = fitContext(messages, { fixed: system + toolTokens, window, cycleFrom });
        context = figure(fitting);
        return {
          messages: markMessages(run.model, fitting, input.window.length),
          ...(settings.phaseGates && phaseGate(stepNumber, Object.keys(tools))),
        };
      },
      onStepEnd: async (step) => {
        crashPoint('step.before_end');
        results.push(step);
        steps.push({ injected: cursor.injected, messages: step.response.messages });
        await stage.endStep();
      },
      onError: () => undefined, // the stream below throws it
    });
    for await (const part of result.stream) {
      if (part.type === 'error') throw fault() ?? part.error;
      if (part.type === 'abort') throw fault() ?? input.signal.reason ?? new Error('the model call was aborted');
    }
    if (fault() !== undefined) throw fault();
  } finally {
    stage.close();
  }
  const said = [...generations.entries()].toSorted(([a], [b]) => a - b).map(([, generation]) => generation);
  const reported = said.at(-1)?.usage.inputTokens.total;
  return {
    steps,
    generations: said,
    stopReason: stops.reason(results),
    context: context && { ...context, ...(reported !== undefined && { reported }) },
  };
}
