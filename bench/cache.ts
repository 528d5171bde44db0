import { createAgent } from '../src/agents/create-agent.ts';
import type { GivenSettings } from '../src/agents/settings.ts';
import { createHuman } from '../src/entities/create-human.ts';
import { firePlan } from '../src/plans/fire-plan.ts';
import { setPlans } from '../src/plans/set-plans.ts';
import { createSpace } from '../src/spaces/create-space.ts';
import { postMessage } from '../src/spaces/post-message.ts';
import { bytes, table, verdict } from './figures.ts';
import { describeMachine } from './machine.ts';
import { inboxOf, lastInbox, compareRequests, type Compared } from './repeated-prefix.ts';
import { startModelServer, type ChatReply, type ChatRequest, type ModelServer } from './model-server.ts';
import { openBench, type Bench } from './open-bench.ts';

const CYCLES = 100;
const SPACES = ['Lobby', 'Engineering', 'Support'];
const AIM = 0.95;
// Small enough to be outgrown a few times in 100 cycles.
const SMALL = { maxConsciousnessTokens: 12_000, minRecentCycles: 5 };
const PATIENCE_MS = 30_000;

/** `npm run bench:cache`: how much of each request to the model repeats the one before, which providers sell cheaper. */
async function main(): Promise<void> {
  console.log(`Wakeful cache bench\n${describeMachine()}\n`);
  const server = await startModelServer(play);
  try {
    const bench = await openBench(() => undefined, {
      WAKEFUL_COMPATIBLE_URL: server.url,
      WAKEFUL_EMBEDDING_MODEL: 'none', // nothing is recalled here, and embedding takes the processor from the rest
    });
    try {
      const ordinary = await live(bench, server, { remembers: true });
      console.log(`${report(`${CYCLES} ordinary cycles of one agent`, ordinary)}`);
      console.log(`${verdict(`at least ${percent(AIM)} repeated overall`, share(ordinary.compared) >= AIM)}\n`);

      const small = await live(bench, server, { remembers: false, settings: SMALL });
      const lost = small.compared.filter((one) => one.broken === 'past').length;
      console.log(
        report(`The same, nothing remembered, with ${SMALL.maxConsciousnessTokens} tokens for the past`, small),
      );
      const aim = `one miss per compaction (${small.compactions} compactions, ${lost} misses of the past)`;
      console.log(`${verdict(aim, lost === small.compactions && small.compactions > 0)}\n`);

      const planned = await live(bench, server, { remembers: false, plan: true });
      const broken = planned.compared.filter((one) => one.broken !== undefined).length;
      console.log(report('The same, woken by a recurring plan every fourth time', planned));
      console.log(verdict(`a run of a plan changes nothing that was sent before (${broken} misses)`, broken === 0));
    } finally {
      await bench.close();
    }
  } finally {
    await server.close();
  }
}

type Life = { compared: Compared[]; compactions: number };

/** One agent in three spaces, one message after the other. */
async function live(
  bench: Bench,
  server: ModelServer,
  { settings, remembers, plan = false }: { settings?: GivenSettings; remembers: boolean; plan?: boolean },
): Promise<Life> {
  const { orgId, runtime } = bench;
  const { db, dispatcher } = runtime;
  const { ana, ada, spaces } = await db.transaction().execute(async (trx) => {
    const human = await createHuman(trx, orgId, 'Ana');
    const agent = await createAgent(trx, orgId, {
      name: 'Ada',
      instructions: 'You help the team. Answer what is asked of you, in two or three sentences.',
      model: 'compatible:scripted',
      settings: { gatherMs: 0, ...settings },
    });
    const rooms = [];
    for (const name of SPACES) rooms.push(await createSpace(trx, { orgId, name, memberIds: [human.id, agent.id] }));
    return { ana: human, ada: agent, spaces: rooms };
  });
  const sender = { id: ana.id, name: ana.name, kind: 'human' as const };
  const from = server.requests.length;
  if (plan) await setPlan(bench, ada.id);
  for (let index = 0; index < CYCLES; index += 1) {
    if (plan && index % 4 === 3) {
      await comeDue(bench, ada.id);
      await settled(bench, ada.id, index);
      continue;
    }
    const spaceId = spaces[Math.floor(index / 4) % spaces.length]!.id; // a conversation stays where it is for a while
    const posted = await db
      .transaction()
      .execute((trx) =>
        postMessage(trx, { orgId, spaceId, sender, text: messageText(index, kindOf(index, remembers)) }),
      );
    dispatcher.ring(posted.agentIds);
    await settled(bench, ada.id, index);
  }
  const compactions = await db
    .selectFrom('compactions')
    .innerJoin('consciousness', 'consciousness.agent_id', 'compactions.agent_id')
    .select('after_cycle')
    .where('compactions.agent_id', '=', ada.id)
    .whereRef('after_cycle', '<', 'cycle_count') // one behind the last cycle was shown to nobody
    .execute();
  return { compared: compareRequests(server.requests.slice(from)), compactions: compactions.length };
}

async function setPlan({ orgId, runtime }: Bench, agentId: string): Promise<void> {
  const plan = { id: 'look', instruction: 'Look after the build (note, 0)', cron: '0 0 1 1 *' };
  await runtime.db
    .transaction()
    .execute((trx) => setPlans(trx, { orgId, agentId }, [plan], { floorSeconds: runtime.config.planFloorSeconds }));
}

/** Its time comes now, by its row; the clock of Temporal has no part in what is measured here. */
async function comeDue({ runtime }: Bench, agentId: string): Promise<void> {
  const { id } = await runtime.db
    .updateTable('plans')
    .set({ next_run_at: new Date() })
    .where('agent_id', '=', agentId)
    .returning('id')
    .executeTakeFirstOrThrow();
  await runtime.db.transaction().execute((trx) => firePlan(trx, id));
  runtime.dispatcher.ring([agentId]);
}

async function settled({ runtime }: Bench, agentId: string, index: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const open = runtime.db
    .selectFrom('inbox_events')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('status', 'in', ['pending', 'claimed']);
  while ((await open.executeTakeFirst()) !== undefined) {
    if (Date.now() > deadline) throw new Error(`message ${index} was not dealt with within ${PATIENCE_MS / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

type Kind = 'skip' | 'note' | 'answer' | 'fetch' | 'remember';

/** Of ten messages two are for others, two only noted, and the rest answered; now and then something is remembered. */
function kindOf(index: number, remembers: boolean): Kind {
  if (remembers && index % 25 === 12) return 'remember';
  return (['answer', 'fetch', 'note', 'skip', 'answer', 'fetch', 'answer', 'skip', 'note', 'answer'] as const)[
    index % 10
  ]!;
}

function messageText(index: number, kind: Kind): string {
  const who = kind === 'skip' ? 'Ben, this is yours' : 'Ada, a question';
  return `${who} (${kind}, ${index}): the build of last night took ${index + 20} minutes and two of its tests failed at the first try. What would you look at first?`;
}

/** Says what the last inbox message asks for, by how many steps of the cycle lie behind. */
function play(request: ChatRequest): ChatReply {
  const inbox = lastInbox(request)?.content ?? '';
  const [, kind = 'note', number = '0'] = /\((\w+), (\d+)\)/.exec(inbox) ?? [];
  const spaceId = /space ([0-9a-f-]{36})/.exec(inbox)?.[1] ?? '';
  const step = request.messages.slice(inboxOf(request.messages)).filter(({ role }) => role === 'assistant').length;
  const enter = { name: 'enter_space', input: { spaceId } };
  const fact = { key: `build_${number}`, value: `The build of message ${number} was slow.` };
  const text = `For message ${number} I would compare the two failed tests with the night before, and look at the slowest one.`;
  const steps: Record<string, ChatReply[]> = {
    skip: [{ calls: [{ name: 'skip', input: { reason: 'for Ben' } }] }],
    note: [],
    answer: [{ calls: [enter, { name: 'send_message', input: { text } }] }],
    fetch: [
      { calls: [enter, { name: 'read_messages', input: { limit: 5 } }] },
      { calls: [{ name: 'send_message', input: { text } }] },
    ],
    remember: [
      { calls: [{ name: 'set_memories', input: { entries: [fact] } }] },
      { calls: [enter, { name: 'send_message', input: { text } }] },
    ],
  };
  return steps[kind]?.[step] ?? { text: `Ana asked about the build (${number}); dealt with, nothing is open.` };
}

function report(title: string, { compared }: Life): string {
  const rows = (
    [
      ['inside a cycle', compared.filter((one) => one.within)],
      ['from cycle to cycle', compared.filter((one) => !one.within)],
      ['overall', compared],
    ] as const
  ).map(([name, some]) => {
    const broken = (where: Compared['broken']): string => String(some.filter((one) => one.broken === where).length);
    const sent = some.reduce((sum, one) => sum + one.bytes, 0);
    const figures = [String(some.length), bytes(sent), percent(share(some))];
    return [name, ...figures, broken('tools'), broken('instructions'), broken('past')];
  });
  const head = ['', 'requests', 'bytes sent', 'repeated', 'tools changed', 'instructions changed', 'past changed'];
  return `${title}: bytes of tools and messages, in this order, that repeat the request before\n${table([head, ...rows])}`;
}

function share(compared: Compared[]): number {
  const sum = (field: 'bytes' | 'repeated'): number => compared.reduce((total, one) => total + one[field], 0);
  return sum('repeated') / sum('bytes');
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

await main();
