import { APICallError, type TelemetryOptions } from 'ai';

import type { Metrics } from '../metrics/metrics.ts';
import type { OpenSpan, Tracing } from '../tracing/tracing.ts';
import { isAppError } from '../errors.ts';
import type { Run } from './begin-run.ts';
import { callsOf, stepUsage, type Generation } from './generation.ts';
import type { StepTiming } from './journal.ts';
import { StreamStalled, StreamTorn } from './listen-to-model.ts';
import { ToolFault } from './run-tool.ts';

type Said = { generation: Generation } & StepTiming;
type Outcome = { kind: string; retryInMs?: number };

/** Who follows a cycle from the side: counters and traces. Nothing in the cycle depends on it. */
export type CycleWatch = {
  /** The whole cycle. */
  cycle<Result extends Outcome>(think: () => Promise<Result>): Promise<Result>;
  /** How much the agent was given of its past. */
  recalled(tokens: number): void;
  /** The one generation of a step that was not in the journal. */
  step(step: number, ask: () => Promise<Said>): Promise<Said>;
  /** One request of a step to the model. */
  modelCall<Value>(ask: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value>;
  modelRetry(): void;
  tool(
    call: { callId: string; name: string; step: number; input: object },
    run: () => Promise<object>,
  ): Promise<object>;
  /** What streamText is told for the AI SDK's own spans (TC-07, TC-47). */
  forSdk(): { telemetry: TelemetryOptions<Facts>; runtimeContext: Facts };
};

type Facts = { agentId: string; cycleCount: string; inboxSize: string; consciousnessTokens: string };

export function createCycleWatch({ metrics, tracing }: { metrics: Metrics; tracing: Tracing }, run: Run): CycleWatch {
  let consciousnessTokens = 0;
  let whole: OpenSpan | undefined;
  const ids = { 'wakeful.agent_id': run.agentId, 'wakeful.run_id': run.id };
  return {
    async cycle(think) {
      const started = performance.now();
      const sizes = {
        'wakeful.org_id': run.orgId,
        'wakeful.cycle': run.cycle,
        'wakeful.attempt': run.fence,
        'wakeful.model': run.model,
        'wakeful.inbox_size': run.events.length,
      };
      let outcome = 'error';
      try {
        return await tracing.span('wakeful.cycle', { ...ids, ...sizes }, async (span) => {
          whole = span;
          const result = await think();
          outcome = result.retryInMs === undefined ? result.kind : 'retrying';
          span.set({ 'wakeful.outcome': outcome });
          return result;
        });
      } catch (error) {
        if (isAppError(error, 'fenced-off')) metrics.fencedWrites.add();
        throw error;
      } finally {
        metrics.thinkCycles.add({ outcome });
        metrics.cycleSeconds.observe((performance.now() - started) / 1_000);
      }
    },
    recalled(tokens) {
      consciousnessTokens = tokens;
      whole?.set({ 'wakeful.consciousness_tokens': tokens });
    },
    async step(step, ask) {
      return tracing.span('wakeful.step', { ...ids, 'wakeful.step': step }, async (span) => {
        const said = await ask();
        if (said.firstPartMs !== null) metrics.firstPartSeconds.observe(said.firstPartMs / 1_000);
        describeStep(span, said);
        return said;
      });
    },
    async modelCall(ask, signal) {
      try {
        const answer = await ask();
        metrics.modelCalls.add({ outcome: 'answered' });
        return answer;
      } catch (error) {
        metrics.modelCalls.add({ outcome: signal?.aborted === true ? 'aborted' : outcomeOf(error) });
        throw error;
      }
    },
    modelRetry: () => metrics.modelRetries.add(),
    async tool({ callId, name, step, input }, execute) {
      const facts = {
        'wakeful.step': step,
        'wakeful.tool': name,
        'wakeful.tool_call_id': callId,
        'wakeful.input_characters': JSON.stringify(input).length,
      };
      return tracing.span('wakeful.tool', { ...ids, ...facts }, async (span) => {
        try {
          const output = await execute();
          metrics.toolCalls.add({ tool: name, outcome: 'done' });
          span.set({ 'wakeful.output_characters': JSON.stringify(output).length });
          return output;
        } catch (error) {
          metrics.toolCalls.add({ tool: name, outcome: error instanceof ToolFault ? 'failed' : 'aborted' });
          throw error;
        }
      });
    },
    forSdk: () => ({
      telemetry: {
        ...tracing.telemetry,
        functionId: `agent-${run.agentId}-cycle-${run.cycle}`,
        includeRuntimeContext: { agentId: true, cycleCount: true, inboxSize: true, consciousnessTokens: true },
      },
      runtimeContext: {
        agentId: run.agentId,
        cycleCount: String(run.cycle),
        inboxSize: String(run.events.length),
        consciousnessTokens: String(consciousnessTokens),
      },
    }),
  };
}

function describeStep(span: OpenSpan, { generation, startedAt, firstPartMs }: Said): void {
  const usage = stepUsage(generation.usage);
  // From the first part on: the wait before it has a figure of its own.
  const writingMs = Math.max(1, Date.now() - startedAt.getTime() - (firstPartMs ?? 0));
  span.set({
    'wakeful.finish_reason': generation.finishReason.unified,
    'wakeful.tool_calls': callsOf(generation).length,
    'wakeful.input_tokens': usage.inputTokens,
    'wakeful.output_tokens': usage.outputTokens,
    'wakeful.cache_read_tokens': usage.cacheReadTokens,
    'wakeful.cache_write_tokens': usage.cacheWriteTokens,
    'wakeful.reasoning_tokens': usage.reasoningTokens,
    ...(firstPartMs !== null && { 'wakeful.first_part_ms': firstPartMs }),
    'wakeful.output_tokens_per_second': Math.round((usage.outputTokens * 1_000) / writingMs),
  });
}

function outcomeOf(error: unknown): string {
  if (error instanceof StreamStalled) return 'stalled';
  if (error instanceof StreamTorn) return 'torn';
  if (!APICallError.isInstance(error) || error.statusCode === undefined) return 'unreachable';
  if (error.statusCode === 429) return 'rate-limited';
  return error.statusCode >= 500 ? 'overloaded' : 'refused';
}
