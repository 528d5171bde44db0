import type { ModelMessage } from 'ai';

import type { Db } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import type { ToolCallStatus } from './cycle-table.ts';
import type { Generation, StepUsage } from './generation.ts';
import { selectRuns, toRunSummary, type RunSummary } from './list-runs.ts';

export type ToolCallRecord = {
  id: string;
  callId: string;
  name: string;
  input: unknown;
  status: ToolCallStatus;
  output: unknown;
  startedAt: string;
  endedAt: string | null;
};

export type StepRecord = {
  step: number;
  finishReason: string;
  content: Generation['content'];
  injected: ModelMessage[];
  usage: StepUsage;
  toolCalls: ToolCallRecord[];
  startedAt: string;
  generatedAt: string;
};

/** One cycle with all that went into it and came out of it. */
export type RunDetail = RunSummary & {
  prompt: string;
  inboxMessage: ModelMessage;
  steps: StepRecord[];
  usage: StepUsage;
};

export async function getRun(db: Db, orgId: string, runId: string): Promise<RunDetail> {
  const run = await selectRuns(db, orgId)
    .select(['prompt_hash', 'inbox_message'])
    .where('id', '=', runId)
    .executeTakeFirst();
  if (run === undefined) throw new AppError('not-found', `there is no run ${runId}`);
  const prompt = await db
    .selectFrom('prompts')
    .select('text')
    .where('agent_id', '=', run.agent_id)
    .where('org_id', '=', orgId)
    .where('hash', '=', run.prompt_hash)
    .executeTakeFirst();
  const steps = await stepsOf(db, orgId, runId);
  return {
    ...toRunSummary(run),
    prompt: prompt?.text ?? '',
    inboxMessage: run.inbox_message,
    steps,
    usage: steps.map((step) => step.usage).reduce(addUsage, NO_USAGE),
  };
}

async function stepsOf(db: Db, orgId: string, runId: string): Promise<StepRecord[]> {
  const steps = await db
    .selectFrom('run_steps')
    .selectAll()
    .where('run_id', '=', runId)
    .where('org_id', '=', orgId)
    .orderBy('step')
    .execute();
  const calls = await callsOf(db, orgId, runId);
  return steps.map((row) => ({
    step: row.step,
    finishReason: row.finish_reason,
    content: row.generation.content,
    injected: row.injected ?? [],
    usage: row.usage,
    toolCalls: calls.filter((call) => call.step === row.step).map((call) => call.record),
    startedAt: row.started_at.toISOString(),
    generatedAt: row.generated_at.toISOString(),
  }));
}

async function callsOf(db: Db, orgId: string, runId: string): Promise<{ step: number; record: ToolCallRecord }[]> {
  const rows = await db
    .selectFrom('tool_calls')
    .selectAll()
    .where('run_id', '=', runId)
    .where('org_id', '=', orgId)
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    step: row.step,
    record: {
      id: row.id,
      callId: row.call_id,
      name: row.name,
      input: row.input,
      status: row.status,
      output: row.output,
      startedAt: row.started_at.toISOString(),
      endedAt: row.ended_at?.toISOString() ?? null,
    },
  }));
}

const NO_USAGE: StepUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

function addUsage(sum: StepUsage, step: StepUsage): StepUsage {
  return {
    inputTokens: sum.inputTokens + step.inputTokens,
    cacheReadTokens: sum.cacheReadTokens + step.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + step.cacheWriteTokens,
    outputTokens: sum.outputTokens + step.outputTokens,
    reasoningTokens: sum.reasoningTokens + step.reasoningTokens,
  };
}
