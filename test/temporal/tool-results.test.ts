import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { ChatRequest, FakePart, Script } from '../support/fake-model-server.ts';
import { createGate } from '../support/fake-model-server.ts';
import { requestsOf, stepOf } from '../support/greeting-script.ts';
import { openHttpScene, type HttpScene } from '../support/http-scene.ts';
import { eventually, type Person } from '../support/world.ts';

let scene: HttpScene;
beforeAll(async () => {
  scene = await openHttpScene();
});
afterAll(() => scene.close());

/** Replies by step; behind the last one the cycle ends. */
function steps(...replies: ((request: ChatRequest) => FakePart[])[]): Script {
  return (request) => ({ say: (replies[stepOf(request)] ?? (() => [{ text: 'Done.' }]))(request) });
}

const callsOf = (agent: Person) =>
  scene.db
    .selectFrom('tool_calls')
    .innerJoin('runs', 'runs.id', 'tool_calls.run_id')
    .select(['tool_calls.id', 'name', 'tool_calls.status', 'output', 'whole_output', 'call_id'])
    .where('runs.agent_id', '=', agent.id)
    .orderBy('tool_calls.step')
    .orderBy('tool_calls.id')
    .execute();

type Cut = { truncated: true; resultId: string; shown: string; missingCharacters: number; note: string };
type Piece = { text: string; offset: number; next: number | null; length: number };

/** What the model was last told by a tool. */
function lastResult<Result>({ messages }: ChatRequest): Result {
  const content = messages.findLast((message) => message.role === 'tool')?.content;
  return JSON.parse(typeof content === 'string' ? content : '{}') as Result;
}

test('a result that is too long is cut with a note, and read_result reads on to its very end (AL-20)', async () => {
  const { world } = scene;
  const [ana, ada] = [await world.human('Ana'), await world.agent('Ada', { settings: { maxToolResultChars: 1_000 } })];
  const lobby = await world.space('Lobby', [ana, ada]);
  // Characters of two halves and quotes, which grow when they are written as JSON.
  const long = '“A 🦊 said: "no" 🐉”'.repeat(120);
  const pieces: string[] = [];
  scene.model.play((request) => {
    if (stepOf(request) === 0) return { say: [{ call: 'enter_space', input: { spaceId: lobby } }] };
    const told = lastResult<Cut | Piece>(request);
    const first = 'truncated' in told;
    pieces.push(first ? told.shown : told.text);
    const next = first ? Number(/offset (\d+) reads on/.exec(told.note)![1]) : told.next;
    if (next === null) return { say: [{ text: 'Read it all.' }] };
    const resultId = /"resultId":"([^"]+)"|resultId\\":\\"([^\\]+)/.exec(JSON.stringify(request.messages))!;
    return { say: [{ call: 'read_result', input: { resultId: resultId[1] ?? resultId[2], offset: next } }] };
  });
  await world.say(ana, lobby, long);
  await world.settled(ada);

  const [cut, ...reads] = await callsOf(ada);
  expect(cut).toMatchObject({ name: 'enter_space', status: 'done' });
  const { shown, missingCharacters, note } = cut!.output as Cut;
  expect(shown.length).toBeGreaterThanOrEqual(999);
  expect(shown.length).toBeLessThanOrEqual(1_000);
  expect(missingCharacters).toBe(cut!.whole_output!.length - shown.length);
  expect(note).toContain(`${missingCharacters} of ${cut!.whole_output!.length} characters are not shown`);
  expect(pieces.join('')).toBe(cut!.whole_output);
  expect(JSON.parse(pieces.join(''))).toMatchObject({ recentMessages: [{ text: long }] });
  expect(reads.length).toBeGreaterThan(2);
  expect(
    reads.filter((read) => read.whole_output !== null),
    'pieces that were cut again',
  ).toEqual([]);
  const warnings = await world.runtime.db
    .selectFrom('space_events')
    .select('data')
    .where('space_id', '=', lobby)
    .where('type', '=', 'agent.warning')
    .execute();
  expect(warnings).toMatchObject([{ data: { kind: 'truncation', detail: `enter_space: ${note}` } }]);
});

test('what one agent was shown, another cannot read', async () => {
  const { world } = scene;
  const settings = { maxToolResultChars: 1_000 };
  const [ana, ada, ben] = [await world.human('Ana'), await world.agent('Ada', { settings }), await world.agent('Ben')];
  const lobby = await world.space('Lobby', [ana, ada]);
  const attic = await world.space('Attic', [ana, ben]);
  scene.model.play(steps(() => [{ call: 'enter_space', input: { spaceId: lobby } }]));
  await world.say(ana, lobby, 'secret '.repeat(400));
  await world.settled(ada);
  const [cut] = await callsOf(ada);
  expect(cut?.whole_output).toContain('secret');

  const ids = [cut!.id, '00000000-0000-7000-8000-000000000000', 'no id at all'];
  scene.model.play(steps(() => ids.map((resultId) => ({ call: 'read_result', input: { resultId } }))));
  await world.say(ana, attic, 'read it');
  await world.settled(ben);
  const refused = await callsOf(ben);
  expect(refused.map((call) => call.status)).toEqual(['failed', 'failed', 'failed']);
  expect(refused.map((call) => call.output)).toEqual(
    expect.arrayContaining(ids.map((id) => ({ error: `there is no stored result ${id} of yours` }))),
  );
  const told = JSON.stringify(requestsOf(scene.model.requests, ben.id).at(-1)!.body.messages);
  expect(told).toContain(`there is no stored result ${cut!.id} of yours`);
  expect(told).not.toContain('secret');
});

test('calls that need no space run side by side, those in the active space one after another (AL-04, AL-17, C15)', async () => {
  const { world, db } = scene;
  const [ana, ada] = [await world.human('Ana'), await world.agent('Ada')];
  const lobby = await world.space('Lobby', [ana, ada]);
  const gate = createGate();
  scene.model.play((request) => {
    if (stepOf(request) > 0) return { say: [{ text: 'Done.' }] };
    const calls = [
      { call: 'enter_space', input: { spaceId: lobby } },
      { call: 'get_my_runs', input: { limit: 1 } },
      { call: 'send_message', input: { text: 'One.' } },
      { call: 'get_my_runs', input: { limit: 2 } },
      { call: 'send_message', input: { text: 'Two.' } },
      { call: 'get_my_runs', input: { limit: 3 } },
    ];
    return { say: calls, gate };
  });
  await world.say(ana, lobby, 'go');
  await gate.reached();
  // Every call ends with a row here; while the table is locked, those that run stand in front of it and can be counted.
  await db.transaction().execute(async (trx) => {
    await sql`lock table tool_calls in share mode`.execute(trx);
    gate.release();
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ count: string }>`
        select count(*) from pg_locks
        where not granted and relation = 'tool_calls'::regclass and database = (select oid from pg_database where datname = current_database())
      `.execute(db);
      return Number(rows[0]!.count);
    };
    await eventually('three calls beside one in the space are under way', 10_000, async () => (await waiting()) === 4);
    await new Promise((resolve) => setTimeout(resolve, 300)); // were there more, they would have come by now
    expect(await waiting()).toBe(4);
  });
  await world.settled(ada);
  expect((await callsOf(ada)).map((call) => call.status)).toEqual(Array(6).fill('done'));
  expect((await world.messages(lobby)).map((message) => message.text)).toEqual(['go', 'One.', 'Two.']);
});

test('three spaces in one reply: each message goes where the agent was by then, and a failed call leaves the others', async () => {
  const { world } = scene;
  const [ana, ada] = [await world.human('Ana'), await world.agent('Ada')];
  const names = ['Kitchen', 'Cellar', 'Attic'];
  const [kitchen, cellar, attic] = await Promise.all(names.map((name) => world.space(name, [ana, ada])));
  const enter = (spaceId: string): FakePart => ({ call: 'enter_space', input: { spaceId } });
  const send = (text: string): FakePart => ({ call: 'send_message', input: { text } });
  scene.model.play(
    steps(
      () => [enter(attic!)],
      () => [
        enter(kitchen!),
        send('Soup is ready.'),
        enter('Nowhere'),
        send('Bread too.'),
        enter(cellar!),
        send('Who has the key?'),
        enter(attic!),
        send('It is cold here.'),
      ],
    ),
  );
  await world.say(ana, kitchen!, 'tell them all');
  await world.settled(ada);
  const said = async (spaceId: string): Promise<string[]> =>
    (await world.messages(spaceId)).filter((message) => message.sender_name === 'Ada').map((message) => message.text);
  expect(await said(kitchen!)).toEqual(['Soup is ready.', 'Bread too.']);
  expect(await said(cellar!)).toEqual(['Who has the key?']);
  expect(await said(attic!)).toEqual(['It is cold here.']);
  expect((await callsOf(ada)).map((call) => call.status).toSorted()).toEqual([...Array(8).fill('done'), 'failed']);
  expect(requestsOf(scene.model.requests, ada.id)).toHaveLength(3);
  const left = await scene.db.selectFrom('drafts').select('id').where('ended_at', 'is', null).execute();
  expect(left).toEqual([]);
  const shown = async (spaceId: string): Promise<string[]> => {
    const log = scene.db.selectFrom('space_events').select('type').where('space_id', '=', spaceId).orderBy('seq');
    return (await log.execute()).map((event) => event.type).filter((type) => /started|discarded/.test(type));
  };
  expect(await Promise.all([kitchen!, cellar!, attic!].map(shown)), 'every draft was begun in the right space').toEqual(
    [['message.started', 'message.started'], ['message.started'], ['message.started']],
  );
});

test('a model that gives all its calls the same id is understood all the same', async () => {
  const { world } = scene;
  const [ana, ada] = [await world.human('Ana'), await world.agent('Ada')];
  const lobby = await world.space('Lobby', [ana, ada]);
  const send = (text: string): FakePart => ({ call: 'send_message', input: { text }, id: 'call_0' });
  scene.model.play(
    steps(
      () => [{ call: 'enter_space', input: { spaceId: lobby }, id: 'call_0' }],
      () => [send('First.'), send('Second.')],
      () => [send('Third.')],
    ),
  );
  await world.say(ana, lobby, 'count');
  await world.settled(ada);
  expect((await world.messages(lobby)).map((message) => message.text)).toEqual([
    'count',
    'First.',
    'Second.',
    'Third.',
  ]);
  expect(new Set((await callsOf(ada)).map((call) => call.call_id)).size).toBe(4);
  const { messages } = requestsOf(scene.model.requests, ada.id).at(-1)!.body;
  expect(messages.flatMap((message) => message.tool_calls?.map((call) => call.id) ?? [])).toEqual(
    messages.flatMap((message) => message.tool_call_id ?? []),
  );
  const log = await scene.db
    .selectFrom('space_events')
    .select('type')
    .where('space_id', '=', lobby)
    .where('type', 'in', ['message.started', 'message.discarded'])
    .execute();
  expect(
    log.map((event) => event.type),
    'each message took the place of its draft',
  ).toEqual(Array(3).fill('message.started'));
});
