import type { ModelMessage } from 'ai';

import { appendCycle, type CycleMessage } from '../consciousness/append-cycle.ts';
import { calibrate } from '../consciousness/calibrate.ts';
import { closingText } from '../consciousness/closing-text.ts';
import { isTooLong } from '../consciousness/is-too-long.ts';
import { newId } from '../db/id.ts';
import type { Db, Trx } from '../db/open-database.ts';
import { wellFormedJson } from '../db/well-formed.ts';
import { hasPending } from '../inbox/claim-inbox.ts';
import { leaveFollowUp, type FollowUp } from '../inbox/follow-up.ts';
import { writeCycleText } from '../recall/write-cycle-text.ts';
import { appendEvents } from '../stream/append-events.ts';
import { discardOpenDrafts } from '../stream/drafts.ts';
import type { SpaceEvent } from '../stream/space-event.ts';
import { asTold } from './as-told.ts';
import { lockHead, type Run } from './begin-run.ts';
import type { ContextFigures } from './context-guard.ts';
import { holdFence } from './fence.ts';
import { callsOf, stepUsage, type Generation, type StepUsage } from './generation.ts';
import { readJournal } from './journal.ts';
import { spacesConcerned } from './spaces-concerned.ts';
import { answerOpenCalls, stepMessages } from './transcript.ts';

/** A step as it is remembered, behind what was injected before it. */
export type FinishedStep = { injected: ModelMessage[]; messages: ModelMessage[] };

export type Ended = { cycle: number; consumed: string[]; more: boolean; summary?: string; compact?: boolean };

export type Ending = {
  status: 'committed' | 'stopped' | 'failed';
  reason: string;
  generations: Generation[];
  context?: ContextFigures | undefined;
  /** The cycle was not done: it wakes the agent again. */
  followUp?: FollowUp | undefined;
};

/** The cycle's one commit: consciousness, run and events together, or none of them. */
export async function commitRun(db: Db, run: Run, steps: FinishedStep[], ending: Ending): Promise<Ended> {
  const messages = cycleMessages(run, steps);
  if (ending.status === 'stopped')
    messages.push(note('I was stopped by a person here; whatever is missing above was not done.'));
  else if (messages.length === 1) messages.push(note('I said and did nothing.')); // two inbox messages in a row read as one
  return db.transaction().execute(async (trx) => {
    await lockHead(trx, { id: run.agentId, orgId: run.orgId }); // before the run's row, as a beginning attempt does: the other order could deadlock
    await holdFence(trx, run);
    // A run given up before its first step leaves no trace but its dead letters; what was stopped did reach the agent.
    const kept = steps.length > 0 || ending.status === 'stopped';
    if (kept) {
      const written = { orgId: run.orgId, agentId: run.agentId, cycle: run.cycle };
      await appendCycle(trx, { ...written, messages });
      await writeCycleText(trx, { ...written, messages: messages.map((item) => item.message) });
    }
    await calibrate(trx, run, ending.context);
    await endRun(trx, run, ending);
    const consumed = await endEvents(trx, run, ending.status === 'failed' ? 'dead' : 'done', ending);
    if (ending.followUp !== undefined) await leaveFollowUp(trx, run, ending.followUp);
    await announceSleep(trx, run, ending);
    const summary = closingText(messages.map((item) => item.message));
    return {
      cycle: kept ? run.cycle : run.cycle - 1,
      consumed,
      more: await hasPending(trx, run.agentId),
      compact: await isTooLong(trx, run.agentId),
      ...(summary !== undefined && { summary: summary.slice(0, 200).toWellFormed() }),
    };
  });
}

/** A skip leaves consciousness, cycle count and runs as they were; a light record keeps its cost visible. */
export async function skipRun(db: Db, run: Run, generation: Generation): Promise<Ended> {
  const usage = stepUsage(generation.usage);
  const cost = await db.selectFrom('run_steps').select('cost_usd').where('run_id', '=', run.id).executeTakeFirst();
  return db.transaction().execute(async (trx) => {
    await holdFence(trx, run);
    await trx
      .insertInto('skips')
      .values({
        id: newId(),
        org_id: run.orgId,
        agent_id: run.agentId,
        reason: skipReason(generation),
        model: run.model,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cache_read_tokens: usage.cacheReadTokens,
        cache_write_tokens: usage.cacheWriteTokens,
        reasoning_tokens: usage.reasoningTokens,
        cost_usd: cost?.cost_usd ?? 0,
        event_ids: run.events.map((event) => event.id),
      })
      .execute();
    const consumed = await endEvents(trx, run, 'skipped', undefined);
    await trx.deleteFrom('runs').where('id', '=', run.id).execute();
    await announceSleep(trx, run, undefined);
    return { cycle: run.cycle - 1, consumed, more: await hasPending(trx, run.agentId) };
  });
}

/** The sole call of step 0 is skip: decided by structure, never by reading text. */
export function isSkip(generations: Generation[]): boolean {
  if (generations.length !== 1) return false;
  const calls = callsOf(generations[0]!);
  return calls.length === 1 && calls[0]!.name === 'skip';
}

export function skipReason(generation: Generation): string {
  const input = callsOf(generation)[0]?.input;
  const reason = typeof input === 'object' && input !== null && 'reason' in input ? String(input.reason).trim() : '';
  return reason === '' ? 'irrelevant' : reason;
}

/** What a cycle did before it was cut short: finished steps, and of the last one whatever already had an effect. */
export async function salvage(
  db: Db,
  run: Run,
  reason: string,
): Promise<{ steps: FinishedStep[]; generations: Generation[] }> {
  await discardOpenDrafts(db, run);
  const journal = await readJournal(db, run.id);
  const calls = await db
    .selectFrom('tool_calls')
    .select(['call_id', 'step', 'status', 'output', 'told'])
    .where('run_id', '=', run.id)
    .execute();
  const steps = journal.flatMap(({ step, generation, injected }) => {
    const mine = calls.filter((call) => call.step === step).map((call) => ({ ...asTold(call), callId: call.call_id }));
    const unfinished = step === journal.length - 1 && callsOf(generation).length > 0 && mine.length === 0;
    return unfinished ? [] : [{ injected, messages: stepMessages(generation, mine, reason) }];
  });
  return { steps, generations: journal.map((entry) => entry.generation) };
}

function cycleMessages(run: Run, steps: FinishedStep[]): CycleMessage[] {
  const responses = steps.flatMap((step): CycleMessage[] => [
    ...step.injected.map((message): CycleMessage => ({ kind: 'injected', message })),
    ...answerOpenCalls([...step.messages]).map((message): CycleMessage => ({
      kind: 'response',
      message: storable(message),
    })),
  ]);
  return [{ kind: 'inbox', message: run.inboxMessage }, ...responses];
}

function note(text: string): CycleMessage {
  return { kind: 'response', message: { role: 'assistant', content: [{ type: 'text', text }] } };
}

function storable(message: ModelMessage): ModelMessage {
  return wellFormedJson(message);
}

async function endRun(trx: Trx, run: Run, ending: Ending): Promise<void> {
  const usage = ending.generations.map((generation) => stepUsage(generation.usage));
  const sum = (field: keyof StepUsage): number => usage.reduce((total, step) => total + step[field], 0);
  const { cost } = await trx
    .selectFrom('run_steps')
    .select((eb) => eb.fn.sum<number | null>('cost_usd').as('cost'))
    .where('run_id', '=', run.id)
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('runs')
    .set({
      status: ending.status,
      failures: run.failures,
      stop_reason: ending.status === 'committed' ? ending.reason : ending.status,
      error: ending.status === 'committed' ? null : ending.reason,
      input_tokens: sum('inputTokens'),
      output_tokens: sum('outputTokens'),
      cache_read_tokens: sum('cacheReadTokens'),
      cache_write_tokens: sum('cacheWriteTokens'),
      reasoning_tokens: sum('reasoningTokens'),
      cost_usd: cost ?? 0,
      context: ending.context === undefined ? null : JSON.stringify(ending.context),
      ended_at: new Date(),
    })
    .where('id', '=', run.id)
    .execute();
}

async function endEvents(
  trx: Trx,
  run: Run,
  status: 'done' | 'skipped' | 'dead',
  ending: Ending | undefined,
): Promise<string[]> {
  const rows = await trx
    .updateTable('inbox_events')
    .set({
      status,
      ended_at: new Date(),
      ...(status === 'skipped' && { run_id: null }),
      ...(status === 'dead' && { failures: run.failures, error: ending?.reason ?? null }),
    })
    .where('run_id', '=', run.id)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

async function announceSleep(trx: Trx, run: Run, ending: Ending | undefined): Promise<void> {
  const asleep: SpaceEvent = { type: 'agent.status', data: { agentId: run.agentId, status: 'asleep', runId: run.id } };
  const failed: SpaceEvent = {
    type: 'agent.failed',
    data: { agentId: run.agentId, runId: run.id, reason: ending?.reason ?? '', deadEvents: run.events.length },
  };
  for (const spaceId of spacesConcerned(run)) {
    await appendEvents(trx, run.orgId, spaceId, ending?.status === 'failed' ? [failed, asleep] : [asleep]);
  }
}
