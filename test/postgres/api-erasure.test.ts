import { afterAll, beforeAll, expect, test } from 'vitest';

import { setMemories } from '../../src/memory/set-memories.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { liveCycle } from '../support/cycles.ts';

type Id = { id: string };
type List = { items: { key: string }[] };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function makeAgent(name: string): Promise<string> {
  return (await api.call<Id>('POST', '/v1/agents', { body: { name, instructions: 'Be kind.' } })).body.id;
}

test('an erased agent does not come back with a repeated request, and its answer is not kept', async () => {
  const request = { body: { name: 'Ada', instructions: 'Be kind.' }, headers: { 'idempotency-key': 'make-ada' } };
  const made = await api.call<Id>('POST', '/v1/agents', request);
  expect((await api.call('DELETE', `/v1/agents/${made.body.id}`)).status).toBe(204);
  expect((await api.call('POST', '/v1/agents', request)).body).toMatchObject({
    status: 422,
    code: 'idempotency-mismatch',
  });
});

test('erasing one agent takes what it told all agents, and leaves others, their memories and its forks', async () => {
  const { db } = api.runtime;
  const [ada, bob] = [await makeAgent('Ada'), await makeAgent('Bob')];
  const orgId = api.home.id;
  const runId = await liveCycle(db, { id: ada, orgId }, 1);
  await db.transaction().execute(async (trx) => {
    const author = { agentId: ada, runId };
    const entries = ['hers', 'ours'].map((key) => ({ key, value: 'v' }));
    await setMemories(trx, { orgId, agentId: null }, author, entries);
    await setMemories(trx, { orgId, agentId: ada }, author, [{ key: 'own', value: 'v' }]);
  });
  await api.call('PUT', '/v1/memories/ours', { body: { value: 'kept by a person' } });
  await api.call('PUT', `/v1/agents/${bob}/memories/his`, { body: { value: 'v' } });
  const fork = await api.call<Id>('POST', `/v1/agents/${ada}/forks`, { body: { name: 'Eva' } });

  expect((await api.call('DELETE', `/v1/agents/${ada}`)).status).toBe(204);
  const keysOf = async (path: string): Promise<string[]> =>
    (await api.call<List>('GET', path)).body.items.map((memory) => memory.key).toSorted();
  expect(await keysOf('/v1/memories')).toEqual(['ours']);
  expect(await keysOf(`/v1/agents/${bob}/memories`)).toEqual(['his', 'ours']);
  expect(await keysOf(`/v1/agents/${fork.body.id}/memories`)).toEqual(['ours', 'own']);
  const consciousness = await api.call<{ cycleCount: number }>('GET', `/v1/agents/${fork.body.id}/consciousness`);
  expect(consciousness.body.cycleCount).toBe(1);
  expect((await api.call('POST', `/v1/agents/${ada}/forks`, { body: { name: 'Late' } })).status).toBe(404);
});

test('what is written while an agent is erased is refused or erased with it', async () => {
  const { db } = api.runtime;
  for (let round = 0; round < 5; round += 1) {
    const agentId = await makeAgent('Ada');
    const at = `/v1/agents/${agentId}`;
    const answers = await Promise.all([
      ...['a', 'b', 'c', 'd'].map((key) => api.call('PUT', `${at}/memories/${key}`, { body: { value: 'v' } })),
      api.call('DELETE', at),
      ...['a', 'b', 'c', 'd'].map((goal) => api.call('PUT', `${at}/goals/${goal}`, { body: { description: 'v' } })),
      api.call('POST', `${at}/forks`, { body: { name: 'Eva' } }),
    ]);
    expect(answers.map((answer) => answer.status).filter((status) => ![200, 201, 204, 404].includes(status))).toEqual(
      [],
    );
    for (const table of ['memories', 'memory_changes', 'goals', 'goal_changes'] as const) {
      expect(await db.selectFrom(table).select('agent_id').where('agent_id', '=', agentId).execute()).toEqual([]);
    }
  }
});
