import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  rootCause,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';

import type { Activities } from '../activities/index.ts';
import {
  configChangedSignal,
  inboxSignal,
  searchAttributes,
  statusQuery,
  stopSignal,
  type AgentInput,
  type AgentState,
  type CarriedState,
  type EventReference,
  type ThinkOutcome,
} from './contract.ts';

// The server refuses signal 10,001 of a run and its own hint does not count signals, so we roll over long before.
const ROLLOVER = { signals: 2_000, events: 4_000 };

// Carried state stays under 16 KB: 50 references of at most 150 bytes and 200 ids. Rows hold the rest.
const WAITING_CARRIED = 50;
const SEEN_CARRIED = 200;

// A killed worker is noticed after this; the activity beats every second.
const HEARTBEAT_TIMEOUT = '5 seconds';

const { think } = proxyActivities<Activities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
});
const { settle, compact } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
});

/** One agent's life: sleep until the inbox rings, think once, sleep again. */
export async function agent(input: AgentInput): Promise<void> {
  const { agentId } = input;
  let name = input.name;
  let status: AgentState['status'] = 'asleep';
  let runId: string | undefined;
  let signals = 0;
  let { rung, cycle, summary, retrying } = input.carried ?? BORN;
  const waiting = new Map((input.carried?.waiting ?? []).map((event) => [event.id, event]));
  const seen = new Set(input.carried?.seen ?? []);
  let thinking: CancellationScope | undefined;
  let stopping: string | undefined;

  setHandler(inboxSignal, ({ events, more, again }) => {
    signals += 1;
    for (const event of events) if (!seen.has(event.id)) waiting.set(event.id, event);
    if (again === true || (more ?? 0) > 0) rung = true;
    describe();
  });
  setHandler(stopSignal, (stop) => {
    signals += 1;
    if (stop.runId !== runId) return; // that run is over; stopping its successor would be a surprise
    stopping = runId;
    thinking?.cancel();
  });
  setHandler(configChangedSignal, (changed) => {
    signals += 1;
    name = changed.name;
    describe();
  });
  setHandler(statusQuery, () => ({
    status,
    cycle,
    waiting: waiting.size,
    summary,
    ...(runId !== undefined && { runId }),
  }));

  upsertSearchAttributes([
    { key: searchAttributes.org, value: input.orgId },
    { key: searchAttributes.agent, value: agentId },
    { key: searchAttributes.status, value: status },
  ]);

  for (;;) {
    describe();
    if (rolloverDue()) await rollover();
    if (retrying === undefined) {
      if (waiting.size === 0 && !rung) {
        become('asleep');
        await condition(() => waiting.size > 0 || rung);
      }
      runId = uuid4();
    } else {
      runId = retrying.runId;
      become('retrying');
      await condition(() => stopping === runId, retrying.waitMs);
    }
    rung = false;
    become('thinking');
    const known = [...waiting.keys()];
    const outcome = await live(runId);
    learn(outcome, known);
    // A stop may come while a failing cycle reports: then it ends the wait for another try, which is all that is left.
    const failedAsStopped = retrying !== undefined && stopping === runId && patched('stop-outlives-failure');
    if (!failedAsStopped) stopping = undefined;
    runId = undefined;
    if (outcome.compact === true) {
      become('compacting');
      await compact.executeWithOptions({ summary: `compaction after cycle ${cycle}` }, [{ agentId }]);
      await rollover();
    }
  }

  async function live(run: string): Promise<ThinkOutcome> {
    if (stopping === run)
      return settle({ agentId, runId: run, as: 'stopped', reason: 'stopped while waiting to retry' });
    thinking = new CancellationScope();
    try {
      const heartbeat = input.heartbeatMs === undefined ? {} : { heartbeatTimeout: input.heartbeatMs };
      const options = { summary: headline(), ...heartbeat };
      return await thinking.run(() => think.executeWithOptions(options, [{ agentId, runId: run }]));
    } catch (error) {
      // The activity settles its own stops and failures; here its worker is gone, or it met a fault it must not retry.
      const as = stopping === run || isCancellation(error) ? 'stopped' : 'failed';
      return await CancellationScope.nonCancellable(() =>
        settle({ agentId, runId: run, as, reason: rootCause(error) ?? 'the think activity ended without a word' }),
      );
    } finally {
      thinking = undefined;
    }
  }

  function learn(outcome: ThinkOutcome, known: string[]): void {
    cycle = outcome.cycle;
    summary = outcome.summary ?? summary;
    if (outcome.kind === 'failed' && outcome.retryInMs !== undefined) {
      retrying = { runId: runId!, waitMs: outcome.retryInMs };
      return; // the same run goes on later, behind its last journaled step
    }
    retrying = undefined;
    // What was known when the run began has its rows committed: dealt with now or earlier, or `more` says that it waits.
    for (const id of known) waiting.delete(id);
    for (const id of outcome.consumed) {
      waiting.delete(id);
      // A run given up sent its events to the dead-letter list; a person may ring for them again.
      if (outcome.kind !== 'failed') seen.add(id);
    }
    for (const id of seen) {
      if (seen.size <= SEEN_CARRIED) break;
      seen.delete(id);
    }
    if (outcome.more) rung = true;
  }

  function become(next: AgentState['status']): void {
    if (next === status) return;
    status = next;
    upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
    describe();
  }

  function describe(): void {
    const last = summary === '' ? '' : `\n\nLast: ${summary}`;
    setCurrentDetails(`**${name}** is ${status} · ${cycle} cycles · ${waiting.size} waiting${last}`);
  }

  function headline(): string {
    const events = [...waiting.values()];
    const first = events[0];
    const count = `${events.length} event${events.length === 1 ? '' : 's'}`;
    const glimpse = first === undefined ? '' : ` · ${first.sender ?? first.type}: ${first.preview ?? ''}`;
    return `cycle ${cycle + 1} · ${count}${glimpse}`.slice(0, 200);
  }

  function rolloverDue(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    const limit = input.rollover ?? ROLLOVER;
    return signals >= limit.signals || historyLength >= limit.events || continueAsNewSuggested;
  }

  /** Signals that reached this task have been handled by now; a later one makes the server refuse and ask again. */
  async function rollover(): Promise<never> {
    const events: EventReference[] = [...waiting.values()];
    const carried: CarriedState = {
      waiting: events.slice(0, WAITING_CARRIED),
      rung: rung || events.length > WAITING_CARRIED,
      seen: [...seen],
      cycle,
      summary,
      ...(retrying !== undefined && { retrying }),
    };
    return continueAsNew<typeof agent>({ ...input, name, carried });
  }
}

const BORN: CarriedState = { waiting: [], rung: false, seen: [], cycle: 0, summary: '' };
