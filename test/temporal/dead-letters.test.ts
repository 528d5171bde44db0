import { APICallError } from 'ai';
import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { createKey } from '../../src/keys/create-key.ts';
import { startServer, type StartedServer } from '../../src/server.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let server: StartedServer | undefined;
afterEach(async () => {
  await server?.close();
  await world.close();
});

type Letter = { id: string; failures: number; error: string; preview: string };

const refuse = () => {
  throw new APICallError({ message: 'the key is wrong', statusCode: 401, url: 'http://x', requestBodyValues: {} });
};
const enter = (prompt: unknown) =>
  reply({ call: 'enter_space', input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! } });

test('a message whose cycle failed three times is in the dead-letter list, and a retry gets it answered (P1)', async () => {
  const model = scriptedModel(
    enter,
    refuse,
    refuse,
    refuse,
    reply({ call: 'send_message', input: { text: 'Sorry for the wait.' }, id: 'answer' }),
    reply({ text: 'Answered at last.' }),
  );
  world = await openWorld({
    models: scriptedModels({ 'test:default': model }),
    retryMs: 1,
    environment: { PORT: '0' },
  });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);
  const { runtime, orgId } = world;
  const call = await openApi();

  await world.say(ana, lobby, 'Are you there?');
  await world.settled(ada);
  const { items } = (await (await call('GET', `/v1/agents/${ada.id}/dead-letters`)).json()) as { items: Letter[] };
  expect(items).toEqual([
    expect.objectContaining({ failures: 3, error: '401 the key is wrong', preview: 'Are you there?' }),
  ]);
  const told = await runtime.db.selectFrom('space_events').select('type').where('type', '=', 'agent.failed').execute();
  expect(told).toHaveLength(1);

  const retried = await call('POST', `/v1/dead-letters/${items[0]!.id}/retry`);
  expect(retried.status).toBe(202);
  await world.settled(ada);
  expect((await world.messages(lobby)).map((message) => message.text)).toEqual([
    'Are you there?',
    'Sorry for the wait.',
  ]);
  expect((await call('POST', `/v1/dead-letters/${items[0]!.id}/retry`)).status).toBe(409);

  const runs = await runtime.db.selectFrom('runs').select(['status', 'failures']).orderBy('started_at').execute();
  expect(runs).toEqual([
    { status: 'failed', failures: 3 },
    { status: 'committed', failures: 0 },
  ]);
  // The failed cycle had entered the space; the agent remembers that it did.
  expect((await loadWindow(runtime.db, ada.id)).cycleCount).toBe(2);
  expect(model.doStreamCalls).toHaveLength(6);

  async function openApi() {
    server = await startServer(runtime, { withConsole: false });
    const { url } = server;
    const { key } = await runtime.db.transaction().execute((trx) => createKey(trx, { orgId }));
    return (method: string, path: string): Promise<Response> =>
      fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  }
});
