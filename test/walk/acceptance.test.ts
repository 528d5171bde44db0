import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { createApiClient, type ApiClient } from '../../src/web/api-client.ts';
import {
  startFakeModelServer,
  type ChatRequest,
  type FakeModelServer,
  type FakeReply,
} from '../support/fake-model-server.ts';
import { startWholeStack, type WholeStack } from '../support/whole-stack.ts';
import { eventually } from '../support/world.ts';

// The founding documents' scenes, walked over HTTP on the whole stack; the model is a script that checks what it is sent.

type Created = { id: string };
type Listed<Item> = { items: Item[] };

let stack: WholeStack;
let model: FakeModelServer;
let api: ApiClient;
const faults: string[] = [];

beforeAll(async () => {
  model = await startFakeModelServer(() => ({ say: [{ text: 'unscripted' }] }));
  stack = await startWholeStack({ WAKEFUL_COMPATIBLE_URL: model.url, WAKEFUL_MODEL: 'compatible:fake' });
  api = createApiClient(stack.apiKey, () => undefined, stack.url);
});
afterAll(async () => {
  await stack.close();
  await model.close();
});
beforeEach(() => void (faults.length = 0));
afterEach(() => expect(faults).toEqual([]));

const create = (path: string, body: object): Promise<Created> => api.post<Created>(path, body, randomUUID());
const say = (spaceId: string, senderId: string, text: string): Promise<Created> =>
  create(`/v1/spaces/${spaceId}/messages`, { senderId, text });

const send = (text: string): FakeReply => ({ say: [{ call: 'send_message', input: { text } }] });
const enter = (spaceId: string): FakeReply => ({ say: [{ call: 'enter_space', input: { spaceId } }] });
const end = (text: string): FakeReply => ({ say: [{ text }] });

/** Plays these replies in order; each may look at the request first. */
function play(...replies: ((sent: { request: ChatRequest; prompt: string; inbox: string }) => FakeReply)[]): void {
  let next = 0;
  model.play((request) => {
    const reply = replies[next];
    next += 1;
    if (reply === undefined) {
      faults.push(`asked for reply ${next} of ${replies.length}`);
      return end('too many');
    }
    const texts = request.messages.map((message) =>
      typeof message.content === 'string' ? message.content : JSON.stringify(message.content),
    );
    const inbox = texts.findLast((text) => text.includes('INBOX (')) ?? '';
    try {
      return reply({ request, prompt: JSON.stringify(request.messages), inbox });
    } catch (error) {
      faults.push(String(error));
      return end('an expectation failed');
    }
  });
}

async function answered(spaceId: string, text: string): Promise<void> {
  await eventually(`"${text}" is said`, 20_000, async () => {
    const { items } = await api.get<Listed<{ text: string }>>(`/v1/spaces/${spaceId}/messages`);
    return items.some((message) => message.text === text);
  });
}

async function asleep(agentId: string, cycles: number): Promise<void> {
  await eventually(`cycle ${cycles} is committed`, 20_000, async () => {
    const { cycleCount } = await api.get<{ cycleCount: number }>(`/v1/agents/${agentId}/consciousness`);
    return cycleCount === cycles;
  });
}

test('a question about one person is answered to another from memory, without reading any space again (CN-08)', async () => {
  const [ana, bob, ada] = await Promise.all([
    create('/v1/humans', { name: 'Ana' }),
    create('/v1/humans', { name: 'Bob' }),
    create('/v1/agents', { name: 'Concierge', instructions: 'Be kind.' }),
  ]);
  const lobby = await create('/v1/spaces', { name: 'Front desk', members: [ana.id, ada.id] });
  const garage = await create('/v1/spaces', { name: 'Garage', members: [bob.id, ada.id] });
  play(
    ({ inbox }) => {
      expect(inbox).toContain('[Front desk] Ana (human): "Hello there"');
      return enter(lobby.id);
    },
    () => send('Welcome, Ana.'),
    () => end('Greeted Ana at the front desk.'),
    ({ inbox }) => {
      expect(inbox).toContain('[Garage] Bob (human): "My car is the red one"');
      return enter(garage.id);
    },
    () => send('Noted, Bob: the red car.'),
    () => end('Bob told me that his car is the red one.'),
    ({ prompt, inbox }) => {
      expect(inbox).toContain('What is Bob');
      // Both earlier cycles are there as the agent lived them, calls and results included.
      expect(prompt).toContain('My car is the red one');
      expect(prompt).toContain('Welcome, Ana.');
      expect(prompt).toContain('Bob told me that his car is the red one.');
      return enter(lobby.id);
    },
    () => send('Bob drives the red car.'),
    () => end('Told Ana about Bob’s car.'),
  );
  await say(lobby.id, ana.id, 'Hello there');
  await asleep(ada.id, 1);
  await say(garage.id, bob.id, 'My car is the red one');
  await asleep(ada.id, 2);
  await say(lobby.id, ana.id, 'What is Bob’s car?');
  await answered(lobby.id, 'Bob drives the red car.');
  await asleep(ada.id, 3);
  const { messages } = await api.get<{ messages: { content: { toolName?: string }[] }[] }>(
    `/v1/agents/${ada.id}/consciousness`,
  );
  expect(JSON.stringify(messages)).not.toContain('read_messages');
});

test('"the second one" is understood three cycles later (MS-08)', async () => {
  const [guest, clerk] = await Promise.all([
    create('/v1/humans', { name: 'Guest' }),
    create('/v1/agents', { name: 'Clerk', instructions: 'You book hotels.' }),
  ]);
  const desk = await create('/v1/spaces', { name: 'Hotel chat', members: [guest.id, clerk.id] });
  play(
    () => enter(desk.id),
    () => send('For when?'),
    () => end('Asked for the dates.'),
    () => send('1) Sea View 2) Garden Inn'),
    () => end('Offered two hotels for Friday.'),
    ({ prompt, inbox }) => {
      expect(inbox).toContain('the second one');
      expect(prompt).toContain('2) Garden Inn');
      return send('Booked: Garden Inn, Friday.');
    },
    () => end('Booked Garden Inn.'),
  );
  await say(desk.id, guest.id, 'I need a hotel in Porto');
  await asleep(clerk.id, 1);
  await say(desk.id, guest.id, 'Friday');
  await asleep(clerk.id, 2);
  await say(desk.id, guest.id, 'the second one, please');
  await answered(desk.id, 'Booked: Garden Inn, Friday.');
  await asleep(clerk.id, 3);
});

test('memories and goals outlive the cycles in which they were made (MS-13, MS-14, CN-32)', async () => {
  const [owner, keeper] = await Promise.all([
    create('/v1/humans', { name: 'Owner' }),
    create('/v1/agents', {
      name: 'Keeper',
      instructions: 'Remember.',
      settings: { maxConsciousnessTokens: 3_000, minRecentCycles: 1 },
    }),
  ]);
  const room = await create('/v1/spaces', { name: 'Office', members: [owner.id, keeper.id] });
  const filler = 'Nothing new. '.repeat(300);
  const system = (request: ChatRequest): string =>
    JSON.stringify(request.messages.find((message) => message.role === 'system')?.content);
  play(
    () => ({
      say: [
        { call: 'set_memories', input: { entries: [{ key: 'launch_day', value: 'the ninth of May' }] }, id: 'm' },
        {
          call: 'set_goals',
          input: { goals: [{ id: 'launch', description: 'Launch the site', status: 'active' }] },
          id: 'g',
        },
      ],
    }),
    () => end('Saved the launch day.'),
    ...Array.from({ length: 8 }, () => ({ request }: { request: ChatRequest }) => {
      expect(system(request)).toContain('launch_day = \\"the ninth of May\\"');
      expect(system(request)).toContain('Launch the site');
      return end(filler);
    }),
    ({ request, prompt }) => {
      // The cycle that made them is long compacted away; the instructions still carry them.
      expect(JSON.stringify(request.messages.slice(1))).not.toContain('set_memories');
      expect(prompt).toContain('[EARLIER CYCLES');
      expect(system(request)).toContain('launch_day');
      return { say: [{ call: 'set_goals', input: { goals: [{ id: 'launch', status: 'done' }] } }] };
    },
    () => ({ say: [{ call: 'delete_memories', input: { keys: ['launch_day'] } }] }),
    () => end('Launched.'),
    ({ request }) => {
      expect(system(request)).not.toContain('launch_day');
      return end('Nothing left.');
    },
  );
  for (let cycle = 1; cycle <= 11; cycle += 1) {
    await say(room.id, owner.id, `news ${cycle}`);
    await asleep(keeper.id, cycle);
  }
}, 60_000);
