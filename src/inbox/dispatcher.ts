import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';

import {
  AGENT_WORKFLOW,
  agentWorkflowId,
  inboxSignal,
  type AgentInput,
  type EventReference,
  type InboxSignal,
} from '../../workflows/contract.ts';
import { crashPoint } from '../cycle/crash-point.ts';
import type { Db, Trx } from '../db/open-database.ts';
import { errorMessage } from '../errors.ts';
import { eventWords } from './event-words.ts';
import { releaseStale, takeOrphanedRuns } from './release-stale.ts';
import { selectInboxEvents, toInboxEvent, type InboxEvent } from './inbox-event.ts';

export type Dispatcher = {
  /** Tells these agents that something waits. Returns at once; call it after commit. */
  ring(agentIds: string[]): void;
  close(): Promise<void>;
};

// Temporal advises at most 5 signals a second to one workflow; a burst in between goes as one signal.
const SIGNAL_GAP_MS = 200;
// What an API process left behind when it died between commit and signal.
const SWEEP_MS = 1_000;
const SWEEP_LIMIT = 100;
// A signal names the first few events; the rows hold the rest.
const SIGNAL_BYTES = 900;
const PREVIEW_CHARACTERS = 40;
const SIGNAL_DEADLINE_MS = 5_000;
// Each dispatch holds one connection while Temporal answers; the pool must keep some for everyone else.
const CONCURRENT = 6;

export function createDispatcher(deps: { db: Db; client: Client; taskQueue: string; log: Logger }): Dispatcher {
  const { db, log } = deps;
  const due = new Map<string, NodeJS.Timeout | 'running' | 'again'>();
  const lastRung = new Map<string, number>();
  const queue: string[] = [];
  let running = 0;
  let closed = false;

  const ringOne = (agentId: string): void => {
    if (closed) return;
    const state = due.get(agentId);
    if (state === 'running') due.set(agentId, 'again');
    if (state !== undefined) return; // already on its way: it will read every row there is
    const wait = Math.max(0, (lastRung.get(agentId) ?? 0) + SIGNAL_GAP_MS - Date.now());
    if (wait === 0) enqueue(agentId);
    else due.set(agentId, setTimeout(enqueue, wait, agentId));
  };

  const enqueue = (agentId: string): void => {
    due.set(agentId, 'running');
    queue.push(agentId);
    work();
  };

  const work = (): void => {
    while (running < CONCURRENT && queue.length > 0) {
      const agentId = queue.shift()!;
      running += 1;
      lastRung.set(agentId, Date.now());
      void dispatch(deps, agentId)
        .catch((error: unknown) =>
          log.warn({ agentId, error: errorMessage(error) }, 'dispatch failed; the sweep tries again'),
        )
        .finally(() => {
          running -= 1;
          const again = due.get(agentId) === 'again';
          due.delete(agentId);
          if (again) ringOne(agentId);
          work();
        });
    }
  };

  const sweep = async (): Promise<void> => {
    for (const [agentId, at] of lastRung) if (Date.now() - at > 60_000) lastRung.delete(agentId);
    await releaseStale(db);
    const rows = await db
      .selectFrom('inbox_events')
      .select('agent_id')
      .distinct()
      .where('dispatched_at', 'is', null)
      .where('status', '=', 'pending')
      .where('created_at', '<', new Date(Date.now() - SWEEP_MS))
      .limit(SWEEP_LIMIT)
      .execute();
    for (const row of rows) ringOne(row.agent_id);
    for (const agentId of await takeOrphanedRuns(db)) await dispatch(deps, agentId, { evenIfEmpty: true });
  };

  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    sweeping ??= sweep()
      .catch((error: unknown) => log.warn({ error: errorMessage(error) }, 'inbox sweep failed; next one in a second'))
      .finally(() => {
        sweeping = undefined;
      });
  }, SWEEP_MS);

  return {
    ring(agentIds) {
      for (const agentId of agentIds) ringOne(agentId);
    },
    async close() {
      closed = true;
      clearInterval(timer);
      for (const state of due.values()) if (typeof state === 'object') clearTimeout(state);
      await sweeping;
      while (running > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

/** One signal for everything of this agent that was not signalled yet. Another process at the same rows skips them. */
async function dispatch(
  deps: { db: Db; client: Client; taskQueue: string },
  agentId: string,
  { evenIfEmpty = false } = {},
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const rows = await undispatched(trx, agentId);
    const agent = rows[0]?.agent ?? (evenIfEmpty ? await livingAgent(trx, agentId) : undefined);
    if (agent === undefined) return;

    const signal = composeSignal(rows, evenIfEmpty);
    const input: AgentInput = { agentId, orgId: agent.orgId, name: agent.name };
    crashPoint('relay.before_signal');
    await deps.client.connection.withDeadline(Date.now() + SIGNAL_DEADLINE_MS, () =>
      deps.client.workflow.signalWithStart(AGENT_WORKFLOW, {
        workflowId: agentWorkflowId(agentId),
        taskQueue: deps.taskQueue,
        args: [input],
        signal: inboxSignal,
        signalArgs: [signal],
        staticSummary: `Agent ${agent.name}`,
      }),
    );
    crashPoint('relay.after_signal');
    if (rows.length === 0) return;
    await trx
      .updateTable('inbox_events')
      .set({ dispatched_at: new Date() })
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute();
  });
}

/** At most 1 KB: anyone who can put bytes into a signal could otherwise end an agent. */
function composeSignal(rows: Undispatched[], again: boolean): InboxSignal {
  const events: EventReference[] = [];
  for (const row of rows) {
    const next = toReference(row);
    if (Buffer.byteLength(JSON.stringify([...events, next])) > SIGNAL_BYTES) break;
    events.push(next);
  }
  return {
    events,
    ...(rows.length > events.length && { more: rows.length - events.length }),
    ...((again || rows.some((row) => row.rungBefore)) && { again: true }),
  };
}

type LivingAgent = { orgId: string; name: string };
type Undispatched = InboxEvent & { rungBefore: boolean; agent: LivingAgent };

async function undispatched(trx: Trx, agentId: string): Promise<Undispatched[]> {
  const rows = await selectInboxEvents(trx)
    .innerJoin('entities as agent', 'agent.id', 'inbox_events.agent_id')
    .select(['inbox_events.rings', 'agent.org_id', 'agent.name as agent_name'])
    .where('agent.deleted_at', 'is', null)
    .where('inbox_events.agent_id', '=', agentId)
    .where('inbox_events.dispatched_at', 'is', null)
    .where('inbox_events.status', '=', 'pending')
    .orderBy('inbox_events.position')
    .limit(1_000)
    .forUpdate('inbox_events')
    .skipLocked()
    .execute();
  return rows.map((row) => ({
    ...toInboxEvent(row),
    rungBefore: row.rings > 0,
    agent: { orgId: row.org_id, name: row.agent_name },
  }));
}

async function livingAgent(trx: Trx, agentId: string): Promise<LivingAgent | undefined> {
  return trx
    .selectFrom('entities')
    .select(['org_id as orgId', 'name'])
    .where('id', '=', agentId)
    .where('kind', '=', 'agent')
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

function toReference(event: InboxEvent): EventReference {
  return {
    id: event.id,
    type: event.type,
    ...(event.sender !== undefined && { sender: event.sender.name.slice(0, PREVIEW_CHARACTERS) }),
    ...(event.space !== undefined && { space: event.space.name.slice(0, PREVIEW_CHARACTERS) }),
    ...(event.urgent && { urgent: true }),
    preview: eventWords(event).slice(0, PREVIEW_CHARACTERS).toWellFormed(),
  };
}
