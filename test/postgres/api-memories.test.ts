import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setMemories } from '../../src/memory/set-memories.ts';
import { startApi, type TestApi } from '../support/api.ts';

type Memory = { id: string; key: string; value: string; importance: number; scope: string; updatedAt: string };
type Goal = { id: string; description: string; status: string };
type List<Item> = { items: Item[]; next: string | null };
type Problem = { detail: string; errors?: { path: string }[] };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function makeAgent(): Promise<string> {
  const body = { name: 'Ada', instructions: 'Be kind.' };
  return (await api.call<{ id: string }>('POST', '/v1/agents', { body })).body.id;
}

describe('memories of an agent', () => {
  test('are set, changed, listed beside the organisation’s and deleted', async () => {
    const at = `/v1/agents/${await makeAgent()}/memories`;
    const first = await api.call<Memory>('PUT', `${at}/ana_room`, { body: { value: 'Room 12', importance: 8 } });
    expect(first.body).toMatchObject({ key: 'ana_room', value: 'Room 12', importance: 8, scope: 'agent' });
    const second = await api.call<Memory>('PUT', `${at}/ana_room`, { body: { value: 'Room 14' } });
    expect(second.body).toMatchObject({ id: first.body.id, value: 'Room 14', importance: 8 });
    const again = await api.call<Memory>('PUT', `${at}/ana_room`, { body: { value: 'Room 14' } });
    expect(again.body.updatedAt).toBe(second.body.updatedAt);

    await api.call('PUT', '/v1/memories/wifi', { body: { value: 'guest' } });
    const list = await api.call<List<Memory>>('GET', at);
    expect(list.body.items.map(({ key, scope }) => [key, scope])).toEqual([
      ['ana_room', 'agent'],
      ['wifi', 'organisation'],
    ]);
    const shared = await api.call<List<Memory>>('GET', '/v1/memories');
    expect(shared.body.items.map(({ key }) => key)).toEqual(['wifi']);

    expect((await api.call('DELETE', `${at}/wifi`)).status).toBe(404);
    expect((await api.call('DELETE', `${at}/ana_room`)).status).toBe(204);
    expect((await api.call('DELETE', `${at}/ana_room`)).status).toBe(404);
    expect((await api.call('DELETE', '/v1/memories/wifi')).status).toBe(204);
    expect((await api.call<List<Memory>>('GET', at)).body.items).toEqual([]);
  });

  test('are paged without loss', async () => {
    const at = `/v1/agents/${await makeAgent()}/memories`;
    for (const key of ['a', 'b', 'c']) await api.call('PUT', `${at}/${key}`, { body: { value: key } });
    const first = await api.call<List<Memory>>('GET', `${at}?limit=2`);
    const rest = await api.call<List<Memory>>('GET', `${at}?limit=2&cursor=${first.body.next}`);
    expect([...first.body.items, ...rest.body.items].map(({ key }) => key).toSorted()).toEqual(['a', 'b', 'c']);
    expect(rest.body.next).toBeNull();
  });

  test('take any key that can be written in a path, and refuse one too long, blank or not storable', async () => {
    const at = `/v1/agents/${await makeAgent()}/memories`;
    for (const key of ['a/b', 'ключ 🗝', 'x"] = "y', '..']) {
      const set = await api.call<Memory>('PUT', `${at}/${encodeURIComponent(key).replaceAll('.', '%2E')}`, {
        body: { value: 'v' },
      });
      if (key !== '..') expect(set.body.key).toBe(key); // a dot segment is the address of something else
    }
    for (const key of ['k'.repeat(101), '%20', '%00']) {
      const refused = await api.call<Problem>('PUT', `${at}/${key}`, { body: { value: 'v' } });
      expect([key, refused.status]).toEqual([key, 422]);
    }
    for (const body of [{ value: '' }, { value: 'v'.repeat(2_001) }, { value: 'v', importance: 11 }, { scope: 'x' }]) {
      expect((await api.call('PUT', `${at}/k`, { body })).status).toBe(422);
    }
    expect((await api.call('PUT', `/v1/agents/${api.home.id}/memories/k`, { body: { value: 'v' } })).status).toBe(404);
  });

  test('have an end at a thousand, with a word on what to do', async () => {
    const agentId = await makeAgent();
    const owner = { orgId: api.home.id, agentId };
    const entries = Array.from({ length: 1_000 }, (_, index) => ({ key: `key${index}`, value: 'v' }));
    await api.runtime.db.transaction().execute((trx) => setMemories(trx, owner, 'person', entries));
    const refused = await api.call<Problem>('PUT', `/v1/agents/${agentId}/memories/more`, { body: { value: 'v' } });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'there is room for 1000 memories; delete some that no longer matter first',
    ]);
    const change = await api.call('PUT', `/v1/agents/${agentId}/memories/key0`, { body: { value: 'changed' } });
    expect(change.status).toBe(200);
  });
});

describe('goals of an agent', () => {
  test('need a description once, and then only what changes (MS-13)', async () => {
    const at = `/v1/agents/${await makeAgent()}/goals`;
    const refused = await api.call<Problem>('PUT', `${at}/hotel`, { body: { status: 'active' } });
    expect([refused.status, refused.body.detail]).toEqual([422, 'goal "hotel" is new; give it a description']);
    const set = await api.call<Goal>('PUT', `${at}/hotel`, { body: { description: 'Book a hotel' } });
    expect(set.body).toMatchObject({ id: 'hotel', description: 'Book a hotel', status: 'active' });
    const changed = await api.call<Goal>('PUT', `${at}/hotel`, { body: { status: 'done' } });
    expect(changed.body).toMatchObject({ description: 'Book a hotel', status: 'done' });

    await api.call('PUT', `${at}/a%2Fb`, { body: { description: 'Another' } });
    const first = await api.call<List<Goal>>('GET', `${at}?limit=1`);
    const second = await api.call<List<Goal>>('GET', `${at}?limit=1&cursor=${encodeURIComponent(first.body.next!)}`);
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(['a/b', 'hotel']);
    expect(second.body.next).toBeNull();
    expect((await api.call('DELETE', `${at}/hotel`)).status).toBe(204);
    expect((await api.call('DELETE', `${at}/hotel`)).status).toBe(404);
  });
});
