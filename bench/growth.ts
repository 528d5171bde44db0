import { agentWorkflowId, statusQuery } from '../workflows/contract.ts';
import { createDispatcher } from '../src/inbox/dispatcher.ts';
import { postMessage } from '../src/spaces/post-message.ts';
import { bytes, table, times, verdict } from './figures.ts';
import type { Bench } from './open-bench.ts';
import { openRoom } from './room.ts';
import { openWal, type Written } from './wal.ts';

// The first cycle stands alone: it also enters the space and stores the prompt.
const STAGES = [
  { from: 1, cycles: 1 },
  { from: 10, cycles: 5 },
  { from: 100, cycles: 5 },
  { from: 500, cycles: 5 },
];
// Each dispatcher rings an agent five times a second at most; four of them let 500 cycles pass in under a minute.
const DISPATCHERS = 4;
const AIM = 1.2;

type Stage = Written & { from: number; events: number; historyBytes: number; memoryTokens: number };

/** What one cycle writes as the agent grows older and its consciousness longer. */
export async function growth(bench: Bench): Promise<string> {
  const life = await openLife(bench);
  const wal = await openWal(bench.runtime.db);
  const stages: Stage[] = [];
  try {
    for (const { from, cycles } of STAGES) {
      while (life.lived() < from - 1) await life.cycle();
      const before = await life.rest();
      const mark = await wal.mark();
      for (let index = 0; index < cycles; index += 1) await life.cycle();
      const after = await life.rest();
      const written = await wal.since(mark);
      stages.push({
        from,
        inserts: written.inserts / cycles,
        updates: written.updates / cycles,
        bytes: written.bytes / cycles,
        events: (after.events - before.events) / cycles,
        historyBytes: (after.historyBytes - before.historyBytes) / cycles,
        memoryTokens: after.memoryTokens,
      });
    }
  } finally {
    await life.close();
  }
  return report(stages);
}

function report(stages: Stage[]): string {
  const at = (from: number): Stage => stages.find((stage) => stage.from === from)!;
  const ratio = at(500).bytes / at(10).bytes;
  const events = at(500).events / at(10).events;
  const history = at(500).historyBytes / at(10).historyBytes;
  const rows = stages.map((stage) => [
    String(stage.from),
    stage.inserts.toFixed(1),
    stage.updates.toFixed(1),
    bytes(stage.bytes),
    String(stage.memoryTokens),
    stage.events.toFixed(1),
    bytes(stage.historyBytes),
  ]);
  return [
    'Written per cycle of one agent whose consciousness keeps growing (mean of 5 cycles from the one named; the first alone)',
    table([
      ['cycle', 'row inserts', 'row updates', 'Postgres WAL', 'memory tokens', 'history events', 'history bytes'],
      ...rows,
    ]),
    verdict(`bytes at cycle 500 within ${AIM}× of cycle 10 (${times(ratio)})`, ratio <= AIM),
    verdict(
      `history events and bytes per cycle constant (${times(events)}, ${times(history)})`,
      events === 1 && history < 1.05,
    ),
  ].join('\n');
}

type Rest = { events: number; historyBytes: number; memoryTokens: number };

/** One agent that is asked, answers, and is asked again; the message goes past HTTP, which writes nothing itself. */
async function openLife(bench: Bench) {
  const { runtime, orgId } = bench;
  const { db, client, config, log } = runtime;
  // No compaction: the question is what a long memory costs, not what is done about it.
  const room = await openRoom(bench, { gatherMs: 0, maxConsciousnessTokens: 10_000_000 });
  const dispatchers = Array.from({ length: DISPATCHERS }, () =>
    createDispatcher({ db, client, taskQueue: config.taskQueue, log }),
  );
  const handle = client.workflow.getHandle(agentWorkflowId(room.agentId));
  let lived = 0;

  return {
    lived: () => lived,
    async cycle(): Promise<void> {
      const asleep = room.asleep();
      const text = `Hello Ada, this is question ${String(lived).padStart(3, '0')}`;
      const posted = await db
        .transaction()
        .execute((trx) => postMessage(trx, { orgId, spaceId: room.spaceId, sender: room.human, text }));
      dispatchers[lived % DISPATCHERS]!.ring(posted.agentIds);
      await asleep;
      lived += 1;
    },
    /** What the agent's life amounts to, once its workflow has nothing left to write. */
    async rest(): Promise<Rest> {
      if (lived === 0) return { events: 0, historyBytes: 0, memoryTokens: 0 };
      while (!isAtRest(await handle.query(statusQuery))) await new Promise((resolve) => setTimeout(resolve, 20));
      const described = await handle.describe();
      const head = await db
        .selectFrom('consciousness')
        .select('token_estimate')
        .where('agent_id', '=', room.agentId)
        .executeTakeFirstOrThrow();
      return {
        events: described.historyLength,
        historyBytes: described.historySize ?? 0,
        memoryTokens: head.token_estimate,
      };
    },
    async close(): Promise<void> {
      room.close();
      for (const dispatcher of dispatchers) await dispatcher.close();
    },
  };

  function isAtRest(state: { status: string; cycle: number }): boolean {
    return state.status === 'asleep' && state.cycle === lived;
  }
}
