import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { deleteMemories } from '../../src/memory/delete-memories.ts';
import { setMemories } from '../../src/memory/set-memories.ts';
import { deleteGoals } from '../../src/goals/delete-goals.ts';
import { setGoals } from '../../src/goals/set-goals.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { liveCycle } from '../support/cycles.ts';

type Agent = {
  id: string;
  name: string;
  instructions: string;
  forkedFrom: string | null;
  forkedAtCycle: number | null;
};
type List<Item> = { items: Item[]; next: string | null };
type Told = { key?: string; id: string; value?: string; status?: string };

let api: TestApi;
let origin: Agent;
beforeAll(async () => {
  api = await startApi();
  origin = await makeAgent();
  await live(origin.id);
});
afterAll(() => api.close());

async function makeAgent(): Promise<Agent> {
  const body = { name: 'Ada', instructions: 'Be kind.', settings: { maxSteps: 7 } };
  const made = await api.call<Agent>('POST', '/v1/agents', { body: { ...body, tools: ['send_message'] } });
  return made.body;
}

/** Five cycles in which memories and goals come, change and go; a compaction after the third; a person's word at the end. */
async function live(agentId: string): Promise<void> {
  const { db } = api.runtime;
  const agent = { id: agentId, orgId: api.home.id };
  const owner = { orgId: api.home.id, agentId };
  const remember = (key: string, value: string) => (runId: string) =>
    db.transaction().execute(async (trx) => {
      await setMemories(trx, owner, { agentId, runId }, [{ key, value }]);
      await setGoals(trx, owner, [{ id: 'hotel', description: 'Book a hotel', status: value }], runId);
    });
  await liveCycle(db, agent, 1, remember('room', 'one'));
  await liveCycle(db, agent, 2, remember('room', 'two'));
  await liveCycle(db, agent, 3, remember('wifi', 'guest'));
  const { next_seq } = await db
    .selectFrom('consciousness')
    .select('next_seq')
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
  const entry = { from: 1, to: 2, date: '2026-05-01', text: 'Earlier.' };
  await db
    .insertInto('compactions')
    .values({
      agent_id: agentId,
      after_cycle: 3,
      org_id: api.home.id,
      window_from_seq: next_seq - 2,
      entries: JSON.stringify([entry]),
      shortened: '{}',
      tokens: 40,
      before_tokens: 90,
    })
    .execute();
  await db
    .updateTable('consciousness')
    .set({ token_estimate: 40, window_from_seq: next_seq - 2 })
    .where('agent_id', '=', agentId)
    .execute();
  await liveCycle(db, agent, 4, (runId) =>
    db.transaction().execute(async (trx) => {
      await deleteMemories(trx, owner, { agentId, runId }, ['room']);
      await deleteGoals(trx, owner, ['hotel'], runId);
    }),
  );
  await liveCycle(db, agent, 5);
  await db.transaction().execute((trx) => setMemories(trx, owner, 'person', [{ key: 'late', value: 'word' }]));
}

async function fork(agentId: string, body: object): Promise<Agent> {
  const made = await api.call<Agent>('POST', `/v1/agents/${agentId}/forks`, { body });
  expect(made.status).toBe(201);
  return made.body;
}

async function mindOf(agentId: string): Promise<{ memories: string[]; goals: string[] }> {
  const memories = await api.call<List<Told>>('GET', `/v1/agents/${agentId}/memories`);
  const goals = await api.call<List<Told>>('GET', `/v1/agents/${agentId}/goals`);
  return {
    memories: memories.body.items.map(({ key, value }) => `${key}=${value}`).toSorted(),
    goals: goals.body.items.map(({ id, status }) => `${id}=${status}`),
  };
}

describe('a fork', () => {
  test('has the memories and goals of its moment', async () => {
    const minds = [];
    for (const atCycle of [0, 1, 2, 3, 4, 5])
      minds.push(await mindOf((await fork(origin.id, { name: 'F', atCycle })).id));
    expect(minds).toEqual([
      { memories: [], goals: [] },
      { memories: ['room=one'], goals: ['hotel=one'] },
      { memories: ['room=two'], goals: ['hotel=two'] },
      { memories: ['room=two', 'wifi=guest'], goals: ['hotel=guest'] },
      { memories: ['wifi=guest'], goals: [] },
      { memories: ['late=word', 'wifi=guest'], goals: [] },
    ]);
    expect(await mindOf((await fork(origin.id, { name: 'F' })).id)).toEqual(minds[5]);
  });

  test('is given what its origin was given at that cycle, and remembers no later one', async () => {
    const { db } = api.runtime;
    for (const atCycle of [0, 2, 3, 4, 5]) {
      const made = await fork(origin.id, { name: 'Eva', atCycle });
      expect(made).toMatchObject({
        name: 'Eva',
        instructions: 'Be kind.',
        forkedFrom: origin.id,
        forkedAtCycle: atCycle,
      });
      const [mine, its] = await Promise.all([loadWindow(db, made.id), loadWindow(db, origin.id, { atCycle })]);
      expect(mine).toEqual(its);
      const head = await db
        .selectFrom('consciousness')
        .selectAll()
        .where('agent_id', '=', made.id)
        .executeTakeFirstOrThrow();
      expect(head).toMatchObject({
        cycle_count: atCycle,
        next_seq: atCycle * 2 + 1,
        token_estimate: mine.tokenEstimate,
      });
      const texts = await db.selectFrom('cycle_texts').select('cycle').where('agent_id', '=', made.id).execute();
      expect(texts).toHaveLength(atCycle);
    }
  });

  test('goes its own way: neither knows what the other does later', async () => {
    const { db } = api.runtime;
    const made = await fork(origin.id, { name: 'Eva', atCycle: 3 });
    await liveCycle(db, { id: made.id, orgId: api.home.id }, 4);
    await api.call('PUT', `/v1/agents/${made.id}/memories/wifi`, { body: { value: 'changed' } });
    expect((await mindOf(origin.id)).memories).toEqual(['late=word', 'wifi=guest']);
    expect((await loadWindow(db, origin.id)).cycleCount).toBe(5);
    expect((await loadWindow(db, made.id)).cycleCount).toBe(4);
  });

  test('of a fork reaches back behind the first fork', async () => {
    const made = await fork(origin.id, { name: 'Eva', atCycle: 4 });
    const again = await fork(made.id, { name: 'Zoe', atCycle: 1 });
    expect(again).toMatchObject({ forkedFrom: made.id, forkedAtCycle: 1 });
    expect(await mindOf(again.id)).toEqual({ memories: ['room=one'], goals: ['hotel=one'] });
  });

  test('of a moment that has not come, or of an agent that is not there, is refused', async () => {
    const late = await api.call('POST', `/v1/agents/${origin.id}/forks`, { body: { name: 'F', atCycle: 6 } });
    expect(late.body).toMatchObject({ status: 422, errors: [{ path: 'atCycle', message: 'must be at most 5' }] });
    const nobody = await api.call('POST', `/v1/agents/${api.home.id}/forks`, { body: { name: 'F' } });
    expect(nobody.status).toBe(404);
  });

  test('of an agent that never thought starts afresh', async () => {
    const young = await makeAgent();
    await api.call('PUT', `/v1/agents/${young.id}/memories/a`, { body: { value: 'b' } });
    const made = await fork(young.id, { name: 'Eva' });
    expect(made.forkedAtCycle).toBe(0);
    expect(await mindOf(made.id)).toEqual({ memories: ['a=b'], goals: [] });
    expect(await loadWindow(api.runtime.db, made.id)).toMatchObject({ cycleCount: 0, messages: [] });
  });

  test('asked for twice with one Idempotency-Key is made once', async () => {
    const ask = () =>
      api.call<Agent>('POST', `/v1/agents/${origin.id}/forks`, {
        body: { name: 'Once' },
        headers: { 'idempotency-key': 'fork-once' },
      });
    expect((await ask()).body.id).toBe((await ask()).body.id);
  });
});
