import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

test('an agent that is spoken to enters the space, answers, and remembers the whole cycle (TC-02, CN-03)', async () => {
  const model = scriptedModel(
    (prompt) => reply({ call: 'enter_space', input: { spaceId: spaceIn(prompt) } }),
    reply({ text: 'I greet her.' }, { call: 'send_message', input: { text: 'Hello Ana, how are you?' } }),
    reply({ text: 'Greeted Ana in Lobby.' }),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);

  await world.say(ana, lobby, 'Hello Ada');
  await world.settled(ada);

  expect(await world.messages(lobby)).toEqual([
    { sender_name: 'Ana', text: 'Hello Ada', seq: 1 },
    { sender_name: 'Ada', text: 'Hello Ana, how are you?', seq: 2 },
  ]);
  const { cycleCount, messages } = await loadWindow(world.runtime.db, ada.id);
  expect(cycleCount).toBe(1);
  expect(messages.map((message) => message.role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(messages[0]!.content).toContain('[Lobby] Ana (human): "Hello Ada"');
  const log = await world.runtime.db
    .selectFrom('space_events')
    .select(['seq', 'type', 'data'])
    .orderBy('seq')
    .execute();
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
  expect(log.map((event) => event.type)).toEqual([
    'message.created',
    'agent.status',
    'message.started',
    'message.delta',
    'message.created',
    'agent.status',
  ]);
});

test('a sole skip in step 0 leaves no trace but a skip record (TC-36…TC-42)', async () => {
  const model = scriptedModel(reply({ call: 'skip', input: { reason: 'for Ben' } }));
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);

  await world.say(ana, lobby, 'Hello Ben');
  await world.settled(ada);

  const { db } = world.runtime;
  expect((await loadWindow(db, ada.id)).messages).toEqual([]);
  expect(await db.selectFrom('runs').selectAll().execute()).toEqual([]);
  expect(await db.selectFrom('skips').select(['reason', 'input_tokens']).execute()).toEqual([
    { reason: 'for Ben', input_tokens: 10 },
  ]);
});

function spaceIn(prompt: unknown): string {
  return /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]!;
}
