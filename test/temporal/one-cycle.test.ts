import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { rehearsalModel } from '../../src/models/rehearsal.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

test('one wake-up is one cycle of several steps in several spaces, with memories and goals, and its last text reaches nobody (TC-01, TC-03…TC-06, TC-08, TC-09, TC-11, AL-01…AL-04)', async () => {
  let [lobby, attic] = ['', ''];
  const usage = {
    inputTokens: { total: 100, noCache: 60, cacheRead: 30, cacheWrite: 10 },
    outputTokens: { total: 20, text: 15, reasoning: 5 },
  };
  const priced = (parts: ReturnType<typeof reply>) =>
    parts.map((part) => (part.type === 'finish' ? { ...part, usage } : part));
  const model = scriptedModel(
    () => priced(reply({ call: 'enter_space', input: { spaceId: lobby } })),
    () => priced(reply({ call: 'send_message', input: { text: 'Hello Lobby.' } })),
    () =>
      priced(
        reply(
          { call: 'enter_space', input: { spaceId: attic }, id: 'e' },
          { call: 'set_memories', input: { entries: [{ key: 'mood', value: 'good' }] }, id: 'm' },
          { call: 'set_goals', input: { goals: [{ id: 'g', description: 'Greet all' }] }, id: 'g' },
        ),
      ),
    () => priced(reply({ call: 'send_message', input: { text: 'Hello Attic.' } })),
    () => priced(reply({ text: 'Greeted both rooms; nothing is open.' })),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model, 'test:other': scriptedModel() }) });
  const { db } = world.runtime;
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', { instructions: 'Greet everyone.' });
  lobby = await world.space('Lobby', [ana, ada]);
  attic = await world.space('Attic', [ana, ada]);
  await world.say(ana, lobby, 'Greet them all, please');
  await world.settled(ada);

  const runs = await db.selectFrom('runs').selectAll().execute();
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({ cycle: 1, model: 'test:default', stop_reason: 'natural-end' });
  // Usage is summed over the steps, cache and reasoning tokens too (AL-18, AL-30).
  expect(runs[0]).toMatchObject({
    input_tokens: 500,
    cache_read_tokens: 150,
    cache_write_tokens: 50,
    output_tokens: 100,
    reasoning_tokens: 25,
  });
  const steps = await db.selectFrom('run_steps').select(['step', 'finish_reason', 'usage']).orderBy('step').execute();
  expect(steps.map((step) => step.finish_reason)).toEqual([
    'tool-calls',
    'tool-calls',
    'tool-calls',
    'tool-calls',
    'stop',
  ]);
  expect(steps.every((step) => step.usage.inputTokens === 100)).toBe(true);

  // The system prompt is given anew each time and never stored (CN-10, CN-12, C1, CN-33).
  for (const { prompt } of model.doStreamCalls)
    expect(prompt.filter((message) => message.role === 'system')).toHaveLength(1);
  expect(JSON.stringify(model.doStreamCalls[0]!.prompt[0])).toContain('Greet everyone.');
  expect(new Set(model.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt[0]))).size).toBe(1);

  const said = [...(await world.messages(lobby)), ...(await world.messages(attic))].map((message) => message.text);
  expect(said).toEqual(['Greet them all, please', 'Hello Lobby.', 'Hello Attic.']);
  expect(JSON.stringify(await db.selectFrom('space_events').select('data').execute())).not.toContain('nothing is open');
});

test('what a cycle leaves is the SDK’s own messages, stored as rows and given back as they were (CN-01…CN-07, CN-25…CN-28, TC-35)', async () => {
  const enter = (prompt: unknown) =>
    reply({
      call: 'enter_space',
      input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! },
      id: 'in',
    });
  const model = scriptedModel(
    enter,
    reply({ call: 'send_message', input: { text: 'Hi.' }, id: 'hi' }),
    reply({ text: 'Greeted.' }),
    reply({ text: 'Again.' }),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const { db } = world.runtime;
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);
  expect(await loadWindow(db, ada.id)).toMatchObject({ cycleCount: 0, messages: [] });
  await world.say(ana, lobby, 'Hello');
  await world.settled(ada);

  const { messages, cycleCount } = await loadWindow(db, ada.id);
  expect(cycleCount).toBe(1);
  expect(messages).toMatchObject([
    { role: 'user', content: expect.stringMatching(/^INBOX \(1 event\) at .*\n\[Lobby\] Ana \(human\): "Hello"/) },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'in', toolName: 'enter_space', input: { spaceId: lobby } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'in',
          output: { type: 'json', value: { success: true, spaceName: 'Lobby' } },
        },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'hi', toolName: 'send_message', input: { text: 'Hi.' } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'hi',
          output: { type: 'json', value: { success: true, status: 'delivered' } },
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Greeted.' }] },
  ]);

  // The next cycle is given exactly these, then its own inbox (MS-05…MS-07).
  await world.say(ana, lobby, 'Still there?');
  await world.settled(ada);
  const prompt = model.doStreamCalls.at(-1)!.prompt;
  expect(prompt.slice(1).map((message) => message.role)).toEqual([...messages.map((message) => message.role), 'user']);
});

test('a message without an active space is refused in words the model can act on, and the space is kept across cycles (CN-09, C10)', async () => {
  const enter = (prompt: unknown) =>
    reply({ call: 'enter_space', input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! } });
  const send = (text: string) => reply({ call: 'send_message', input: { text } });
  const done = reply({ text: 'Done.' });
  const model = scriptedModel(send('Too soon.'), enter, send('First.'), done, send('Second.'), done);
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);
  await world.say(ana, lobby, 'one');
  await world.settled(ada);
  await world.say(ana, lobby, 'two');
  await world.settled(ada);
  expect((await world.messages(lobby)).map((message) => message.text)).toEqual(['one', 'First.', 'two', 'Second.']);
  expect(JSON.stringify(model.doStreamCalls[1]!.prompt)).toContain('you are in no space; call enter_space');
});

test('in a space of two humans and three agents the one addressed answers, the others skip and stay as they were (TC-46, MS-04, MS-15…MS-17)', async () => {
  world = await openWorld({ models: scriptedModels({ 'test:default': rehearsalModel('instant') }) });
  const { db } = world.runtime;
  const [ana, bob] = [await world.human('Ana'), await world.human('Bob')];
  const agents = [await world.agent('Ada'), await world.agent('Ben'), await world.agent('Cleo')];
  const lobby = await world.space('Lobby', [ana, bob, ...agents]);
  await world.say(ana, lobby, 'Ben, what is the time?');
  for (const agent of agents) await world.settled(agent);

  const messages = await world.messages(lobby);
  expect(messages.map((message) => message.sender_name)).toEqual(['Ana', 'Ben']);
  for (const agent of agents) for (let round = 0; round < 2; round += 1) await world.settled(agent);
  const counts = await db.selectFrom('runs').select('agent_id').execute();
  expect(counts.map((run) => run.agent_id)).toEqual([agents[1]!.id]);
  for (const silent of [agents[0]!, agents[2]!]) {
    expect(await loadWindow(db, silent.id)).toMatchObject({ cycleCount: 0, messages: [] });
    const skips = await db.selectFrom('skips').select('reason').where('agent_id', '=', silent.id).execute();
    expect(skips.length).toBeGreaterThanOrEqual(1);
  }
});

test('each agent thinks with its own model (TC-50, C9)', async () => {
  const [one, two] = [scriptedModel(reply({ text: 'One.' })), scriptedModel(reply({ text: 'Two.' }))];
  world = await openWorld({ models: scriptedModels({ 'test:one': one, 'test:two': two }) });
  const ana = await world.human('Ana');
  const agents = [await world.agent('Ada', { model: 'test:one' }), await world.agent('Ben', { model: 'test:two' })];
  const lobby = await world.space('Lobby', [ana, ...agents]);
  await world.say(ana, lobby, 'hello');
  for (const agent of agents) await world.settled(agent);
  expect([one.doStreamCalls.length, two.doStreamCalls.length]).toEqual([1, 1]);
});
