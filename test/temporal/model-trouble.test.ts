import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { checkViews } from '../support/checker.ts';
import { createGate, type ChatRequest, type Fault } from '../support/fake-model-server.ts';
import { stepOf } from '../support/greeting-script.ts';
import { openHttpScene, spaceIn, speech, type HttpScene } from '../support/http-scene.ts';
import { say, watch, type Room } from '../support/room.ts';

// Long enough to be half shown when its stream breaks in the middle.
const TEXT = 'Hello Ana, this is a long answer with many words, so that a good part of it is shown before it is sent.';
const IDLE_MS = 1_500;
const RETRY_MS = 20;

let scene: HttpScene;
beforeAll(async () => {
  scene = await openHttpScene({
    environment: { WAKEFUL_MODEL_IDLE_MS: String(IDLE_MS), WAKEFUL_MODEL_RETRY_MS: String(RETRY_MS) },
  });
});
afterAll(() => scene.close());

type Logged = { type: string; data: Record<string, unknown> };

async function logOf(room: Room, type: string): Promise<Logged['data'][]> {
  const rows = await scene.db
    .selectFrom('space_events')
    .select(['type', 'data'])
    .where('space_id', '=', room.spaceId)
    .orderBy('seq')
    .execute();
  return (rows as Logged[]).filter((event) => event.type === type).map((event) => event.data);
}

const runOf = (room: Room) =>
  scene.db.selectFrom('runs').selectAll().where('agent_id', '=', room.agentId).executeTakeFirstOrThrow();

async function saidBy(room: Room): Promise<string[]> {
  const rows = await scene.world.messages(room.spaceId);
  return rows.filter((row) => row.sender_name === 'Ada').map((row) => row.text);
}

const callsOf = (room: Room) =>
  scene.db
    .selectFrom('tool_calls')
    .innerJoin('runs', 'runs.id', 'tool_calls.run_id')
    .select(['tool_calls.name', 'tool_calls.status'])
    .where('runs.agent_id', '=', room.agentId)
    .orderBy('tool_calls.id')
    .execute();

/** One question, and the cycle that answers it, watched by a reader from the beginning. */
async function ask(room: Room, text = 'Hello Ada'): Promise<void> {
  const watcher = watch(scene.url, room);
  await say(scene.url, room, text);
  await scene.settled(room);
  await checkViews(scene.db, scene.url, room, watcher);
}

describe('a step whose model call fails is tried again, and nobody sees the difference in the end (AL-09…AL-12)', () => {
  const troubles: { what: string; fault: Fault; reason: RegExp; shown?: boolean }[] = [
    { what: 'an answer 429', fault: { kind: 'status', status: 429, message: 'too fast' }, reason: /^429 too fast$/ },
    { what: 'an answer 500', fault: { kind: 'status', status: 500, message: 'oh no' }, reason: /^500 oh no$/ },
    { what: 'an answer 503', fault: { kind: 'status', status: 503, message: 'later' }, reason: /^503 later$/ },
    {
      what: 'an answer 529',
      fault: { kind: 'status', status: 529, message: 'overloaded' },
      reason: /^529 overloaded$/,
    },
    {
      what: 'a connection reset before the answer',
      fault: { kind: 'reset', after: 0 },
      reason: /connect|fetch failed/i,
    },
    {
      what: 'a connection reset in the middle',
      fault: { kind: 'reset' },
      reason: /^the reply broke off: terminated$/,
      shown: true,
    },
    { what: 'a stream that stalls', fault: { kind: 'stall' }, reason: /sent nothing for 1.5 s/, shown: true },
    { what: 'a stream that ends without a finish', fault: { kind: 'truncate' }, reason: /ended without/, shown: true },
    { what: 'garbage in the stream', fault: { kind: 'garbage' }, reason: /JSON/, shown: true },
    {
      what: 'an error inside the stream',
      fault: { kind: 'error', message: 'the engine is on fire' },
      reason: /^the engine is on fire$/,
      shown: true,
    },
  ];

  test.for(troubles)('$what', async ({ fault, reason, shown }) => {
    scene.model.play(speech(TEXT, (step, repeat) => (step === 1 && repeat === 0 ? { fault } : {})));
    const room = await scene.room();
    await ask(room);

    expect(await saidBy(room)).toEqual([TEXT]);
    expect(scene.requests(room).map((request) => stepOf(request.body))).toEqual([0, 1, 1, 2]);
    expect(await logOf(room, 'agent.retrying')).toEqual([
      expect.objectContaining({ try: 1, waitMs: RETRY_MS, reason: expect.stringMatching(reason) }),
    ]);
    expect(await logOf(room, 'message.discarded')).toHaveLength(shown === true ? 1 : 0);
    expect(await callsOf(room)).toEqual([
      { name: 'enter_space', status: 'done' },
      { name: 'send_message', status: 'done' },
    ]);
    expect(await runOf(room)).toMatchObject({ status: 'committed', stop_reason: 'natural-end', error: null });
  });

  test('a server that accepts the connection and never answers', async () => {
    const gate = createGate(); // never released
    scene.model.play(speech(TEXT, (step, repeat) => (step === 1 && repeat === 0 ? { gate, gateAt: 0 } : {})));
    const room = await scene.room();
    await ask(room);
    expect(await saidBy(room)).toEqual([TEXT]);
    expect(await logOf(room, 'agent.retrying')).toEqual([
      expect.objectContaining({ reason: 'the model did not answer for 1.5 s' }),
    ]);
    expect(scene.requests(room)[1]?.state).toBe('closed by the client');
  });
});

test('the wait that the provider asks for is kept, in seconds or as a date', async () => {
  const waits: Record<string, () => string> = {
    seconds: () => '1',
    date: () => new Date(Date.now() + 2_500).toUTCString(), // dates have whole seconds
  };
  for (const [kind, header] of Object.entries(waits)) {
    scene.model.play(
      speech(TEXT, (step, repeat) =>
        step === 0 && repeat === 0
          ? { fault: { kind: 'status', status: 429, headers: { 'retry-after': header() } } }
          : {},
      ),
    );
    const room = await scene.room();
    await ask(room);
    const [first, second] = scene.requests(room);
    const [retry] = await logOf(room, 'agent.retrying');
    expect(retry, kind).toMatchObject({ try: 1, reason: '429 refused with 429' });
    expect(Number(retry!['waitMs']), kind).toBeGreaterThanOrEqual(1_000);
    expect(Number(retry!['waitMs']), kind).toBeLessThanOrEqual(2_500);
    expect(second!.at - first!.at, kind).toBeGreaterThanOrEqual(Number(retry!['waitMs']) - 5);
    expect(await saidBy(room), kind).toEqual([TEXT]);
  }
});

test('a step that fails again and again has four tries, each with twice the wait and a draft of its own', async () => {
  scene.model.play(speech(TEXT, (step, repeat) => (step === 1 && repeat < 3 ? { fault: { kind: 'reset' } } : {})));
  const room = await scene.room();
  await ask(room);
  expect((await logOf(room, 'agent.retrying')).map((retry) => [retry['try'], retry['waitMs']])).toEqual([
    [1, 20],
    [2, 40],
    [3, 80],
  ]);
  const started = await logOf(room, 'message.started');
  expect(started.map((draft) => draft['attempt'])).toEqual([1, 2, 3, 4]);
  expect(await logOf(room, 'message.discarded')).toHaveLength(3);
  expect(await saidBy(room)).toEqual([TEXT]);
});

test('an answer that no second try can mend fails at once, with the provider’s own words (AL-11)', async () => {
  scene.model.play((request) => {
    const status = Number(/answer with (\d+)/.exec(JSON.stringify(request.messages))![1]);
    return { say: [], fault: { kind: 'status', status, message: 'no, and that is my last word' } };
  });
  const refuse = async (status: number): Promise<void> => {
    const room = await scene.room();
    await ask(room, `answer with ${status}`);
    const words = `${status} no, and that is my last word`;
    expect(scene.requests(room), 'one request in each of three cycles').toHaveLength(3);
    expect(await runOf(room)).toMatchObject({ status: 'failed', error: words });
    const retries = await logOf(room, 'agent.retrying');
    expect(retries.map((retry) => [retry['try'], retry['waitMs'], retry['reason']])).toEqual([
      [1, RETRY_MS * 5, words],
      [2, RETRY_MS * 25, words],
    ]);
    expect(await logOf(room, 'agent.failed')).toEqual([expect.objectContaining({ reason: words, deadEvents: 1 })]);
    expect(await saidBy(room)).toEqual([]);
  };
  await Promise.all([400, 401, 403, 404, 422].map(refuse));
});

test('a cycle that is tried again later goes on behind the steps it has finished', async () => {
  // Step 1 fails four times, which ends the first cycle; the second goes on with step 1.
  scene.model.play(speech(TEXT, (step, repeat) => (step === 1 && repeat < 4 ? { fault: { kind: 'reset' } } : {})));
  const room = await scene.room();
  await ask(room);
  expect(scene.requests(room).map((request) => stepOf(request.body))).toEqual([0, 1, 1, 1, 1, 1, 2]);
  expect((await logOf(room, 'agent.retrying')).map((retry) => retry['waitMs'])).toEqual([20, 40, 80, 100]);
  expect(await saidBy(room)).toEqual([TEXT]);
  expect(await runOf(room)).toMatchObject({ status: 'committed', error: null });
});

test('what was given up is seen and retried over HTTP, and answered then', async () => {
  scene.model.play(speech(TEXT, () => ({ fault: { kind: 'status', status: 503, message: 'away' } })));
  const room = await scene.room();
  await ask(room);
  expect(scene.requests(room)).toHaveLength(12);
  const letters = await scene.call('GET', `/v1/agents/${room.agentId}/dead-letters`, room);
  const [letter] = letters.body['items'] as { id: string; error: string }[];
  expect(letter).toMatchObject({ error: '503 away' });

  scene.model.play(speech(TEXT));
  expect((await scene.call('POST', `/v1/dead-letters/${letter!.id}/retry`, room)).status).toBeLessThan(300);
  await scene.settled(room);
  expect(await saidBy(room)).toEqual([TEXT]);
});

describe('a call that makes no sense is given back to the model as an error, and it recovers (AL-17)', () => {
  const calls: {
    what: string;
    call: string;
    input: object | string;
    words: RegExp;
    finish?: 'length';
    drafts?: number;
  }[] = [
    { what: 'truncated JSON', call: 'send_message', input: '{"text":"Half a mess', words: /JSON/, drafts: 1 },
    {
      what: 'truncated JSON at the length limit',
      call: 'send_message',
      input: '{"text":"Half a mess',
      words: /JSON/,
      finish: 'length',
      drafts: 1,
    },
    {
      what: 'an unknown tool',
      call: 'fly_away',
      input: {},
      words: /unavailable tool 'fly_away'.*Available tools: .*send_message/,
    },
    { what: 'invalid input', call: 'send_message', input: { words: 'no text' }, words: /Invalid input/, drafts: 1 },
  ];

  test.for(calls)('$what', async ({ call, input, words, finish, drafts = 0 }) => {
    scene.model.play((request) => {
      const step = stepOf(request);
      if (step === 0) return { say: [{ call: 'enter_space', input: { spaceId: spaceIn(request) } }] };
      if (step === 1) return { say: [{ call, input }], ...(finish !== undefined && { finish }) };
      return step === 2 ? { say: [{ call: 'send_message', input: { text: TEXT } }] } : { say: [{ text: 'Done.' }] };
    });
    const room = await scene.room();
    await ask(room);
    expect(await saidBy(room)).toEqual([TEXT]);
    expect(scene.requests(room).map((request) => stepOf(request.body))).toEqual([0, 1, 2, 3]);
    expect(lastResult(scene.requests(room)[2]!.body)).toMatch(words);
    expect(await callsOf(room), 'what was carried out').toEqual([
      { name: 'enter_space', status: 'done' },
      { name: 'send_message', status: 'done' },
    ]);
    expect(await logOf(room, 'message.discarded')).toHaveLength(drafts);
    expect(await logOf(room, 'agent.retrying')).toEqual([]);

    // The odd call stays in memory, with its answer; the next cycle is not refused for it.
    await say(scene.url, room, 'Still there?');
    await scene.settled(room);
    expect(await runOf(room)).toMatchObject({ status: 'committed' });
    expect((await loadWindow(scene.db, room.agentId)).cycleCount).toBe(2);
  });
});

test('an empty reply is an answer: one request, no message, no retry', async () => {
  scene.model.play(() => ({ say: [] }));
  const room = await scene.room();
  await ask(room);
  expect(scene.requests(room)).toHaveLength(1);
  expect(await runOf(room)).toMatchObject({ status: 'committed', stop_reason: 'empty-reply' });
  expect(await logOf(room, 'agent.retrying')).toEqual([]);
});

test('a reply at its length limit is carried on with the continuation prompt, and no more often than the model may (AL-05…AL-07)', async () => {
  scene.model.play((request) => ({
    say: [{ text: `part ${request.messages.filter((message) => JSON.stringify(message).includes('Go on.')).length} ` }],
    finish: 'length',
  }));
  const room = await scene.room({ continuationPrompt: 'Go on.' });
  await ask(room);
  expect(scene.requests(room), 'the reply and ten continuations').toHaveLength(11);
  expect(await runOf(room)).toMatchObject({ status: 'committed', stop_reason: 'length' });
  const { messages } = await loadWindow(scene.db, room.agentId);
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant']);
});

function lastResult({ messages }: ChatRequest): string {
  return JSON.stringify(messages.findLast((message) => message.role === 'tool')?.content ?? '');
}
