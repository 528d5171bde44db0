import { createHash } from 'node:crypto';

import type { ModelMessage } from 'ai';

import type { AgentConfig } from '../agents/load-agent.ts';
import type { Db, Trx } from '../db/open-database.ts';
import { claimInbox, eventIdsOf, firstEventsOf, hasPending } from '../inbox/claim-inbox.ts';
import type { InboxEvent } from '../inbox/inbox-event.ts';
import type { RunStatus } from './cycle-table.ts';

export type Run = {
  id: string;
  orgId: string;
  agentId: string;
  /** The number this cycle gets when it is kept. */
  cycle: number;
  /** Raised by every attempt; writes that carry an older one are refused. */
  fence: number;
  model: string;
  instructions: string;
  inboxMessage: ModelMessage;
  /** Shown right before the inbox message, in this cycle only; never remembered. */
  volatileMessage: ModelMessage | undefined;
  events: InboxEvent[];
  failures: number;
};

export type Beginning =
  | { kind: 'run'; run: Run }
  | { kind: 'ended'; status: Exclude<RunStatus, 'running'>; cycle: number; consumed: string[]; more: boolean }
  | { kind: 'empty'; cycle: number };

export type Composed = {
  instructions: string;
  inboxMessage: ModelMessage;
  volatileMessage?: ModelMessage | undefined;
  model: string;
};

/** Claims the waiting events for a run, or takes up the run that an earlier attempt left. */
export async function beginRun(
  db: Db,
  input: { agent: AgentConfig; runId: string; compose: (trx: Trx, events: InboxEvent[]) => Promise<Composed> },
): Promise<Beginning> {
  const { agent } = input;
  return db.transaction().execute(async (trx) => {
    const cycleCount = await lockHead(trx, agent);
    const found = await findRun(trx, agent.id, input.runId);
    if (found !== undefined && found.status !== 'running') {
      const consumed = await eventIdsOf(trx, found.id);
      return {
        kind: 'ended',
        status: found.status,
        cycle: cycleCount,
        consumed,
        more: await hasPending(trx, agent.id),
      };
    }
    if (found !== undefined) return { kind: 'run', run: await takeUp(trx, found.id) };

    const events = await claimInbox(trx, agent.id, input.runId);
    if (events.length === 0) return { kind: 'empty', cycle: cycleCount };
    const composed = await input.compose(trx, events);
    const run = await insertRun(trx, agent, {
      id: input.runId,
      cycle: cycleCount + 1,
      eventCount: events.length,
      composed,
    });
    return { kind: 'run', run: { ...run, events } };
  });
}

/** One cycle at a time: whoever holds the head row is the only one to begin or commit for this agent. */
export async function lockHead(trx: Trx, agent: { id: string; orgId: string }): Promise<number> {
  const head = trx.selectFrom('consciousness').select('cycle_count').where('agent_id', '=', agent.id).forUpdate();
  const found = await head.executeTakeFirst();
  if (found !== undefined) return found.cycle_count;
  await trx
    .insertInto('consciousness')
    .values({ agent_id: agent.id, org_id: agent.orgId })
    .onConflict((conflict) => conflict.doNothing()) // another first run was quicker; now wait for it
    .execute();
  return (await head.executeTakeFirstOrThrow()).cycle_count;
}

/** This run, or one that a terminated workflow left running: its events are claimed, so its successor must finish it. */
async function findRun(
  trx: Trx,
  agentId: string,
  runId: string,
): Promise<{ id: string; status: RunStatus } | undefined> {
  return trx
    .selectFrom('runs')
    .select(['id', 'status'])
    .where('agent_id', '=', agentId)
    .where((eb) => eb.or([eb('id', '=', runId), eb('status', '=', 'running')]))
    .orderBy((eb) => eb('id', '=', runId), 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function takeUp(trx: Trx, runId: string): Promise<Run> {
  const row = await trx
    .updateTable('runs')
    .set((eb) => ({ fence: eb('fence', '+', 1), alive_at: new Date() }))
    .where('id', '=', runId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const prompt = await trx
    .selectFrom('prompts')
    .select('text')
    .where('agent_id', '=', row.agent_id)
    .where('hash', '=', row.prompt_hash)
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    orgId: row.org_id,
    agentId: row.agent_id,
    cycle: row.cycle,
    fence: row.fence,
    model: row.model,
    instructions: prompt.text,
    inboxMessage: row.inbox_message,
    volatileMessage: row.volatile_message ?? undefined,
    events: await firstEventsOf(trx, runId),
    failures: row.failures,
  };
}

async function insertRun(
  trx: Trx,
  agent: AgentConfig,
  input: { id: string; cycle: number; eventCount: number; composed: Composed },
): Promise<Omit<Run, 'events'>> {
  const { instructions, inboxMessage, volatileMessage, model } = input.composed;
  const hash = createHash('sha256').update(instructions).digest();
  await trx
    .with('prompt', (db) =>
      db
        .insertInto('prompts')
        .values({ agent_id: agent.id, hash, org_id: agent.orgId, text: instructions })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .insertInto('runs')
    .values({
      id: input.id,
      org_id: agent.orgId,
      agent_id: agent.id,
      cycle: input.cycle,
      status: 'running',
      model,
      agent_version: agent.version,
      prompt_hash: hash,
      inbox_message: JSON.stringify(inboxMessage),
      volatile_message: volatileMessage === undefined ? null : JSON.stringify(volatileMessage),
      event_count: input.eventCount,
    })
    .execute();
  return {
    id: input.id,
    orgId: agent.orgId,
    agentId: agent.id,
    cycle: input.cycle,
    fence: 1,
    model,
    instructions,
    inboxMessage,
    volatileMessage,
    failures: 0,
  };
}
