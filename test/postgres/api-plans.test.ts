import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Plan } from '../../src/plans/plan.ts';
import { setPlans } from '../../src/plans/set-plans.ts';
import { startApi, type TestApi } from '../support/api.ts';

type List = { items: Plan[]; next: string | null };
type Problem = { detail: string; errors?: { path: string; message: string }[] };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function makeAgent(): Promise<string> {
  const body = { name: 'Ada', instructions: 'Be kind.' };
  return (await api.call<{ id: string }>('POST', '/v1/agents', { body })).body.id;
}

test('a plan is set, listed with its next run, changed and deleted', async () => {
  const at = `/v1/agents/${await makeAgent()}/plans`;
  const report = { instruction: 'Write the report', cron: '0 9 * * mon-fri', timeZone: 'Europe/Berlin' };
  const set = await api.call<Plan>('PUT', `${at}/report`, { body: report });
  expect(set.body).toMatchObject({
    id: 'report',
    instruction: 'Write the report',
    status: 'active',
    recurring: true,
    cron: '0 9 * * MON-FRI',
    timeZone: 'Europe/Berlin',
    scheduledAt: null,
    lastRunAt: null,
    runs: 0,
  });
  expect(new Date(set.body.nextRunAt!).getTime()).toBeGreaterThan(Date.now());
  const again = await api.call<Plan>('PUT', `${at}/report`, { body: report });
  expect(again.body).toEqual(set.body);
  const reworded = await api.call<Plan>('PUT', `${at}/report`, { body: { instruction: 'Write it well' } });
  expect(reworded.body).toMatchObject({ instruction: 'Write it well', nextRunAt: set.body.nextRunAt });
  const moved = await api.call<Plan>('PUT', `${at}/report`, { body: { timeZone: 'Asia/Tokyo' } });
  expect(moved.body).toMatchObject({ cron: '0 9 * * MON-FRI', timeZone: 'Asia/Tokyo' });

  const once = await api.call<Plan>('PUT', `${at}/a%2Fb`, { body: { instruction: 'Call', runAfter: '2 days' } });
  expect(once.body).toMatchObject({ id: 'a/b', recurring: false, cron: null, timeZone: null });
  expect(once.body.nextRunAt).toBe(once.body.scheduledAt);
  const turned = await api.call<Plan>('PUT', `${at}/a%2Fb`, { body: { cron: '0 0 1 * *' } });
  expect(turned.body).toMatchObject({ recurring: true, scheduledAt: null, timeZone: 'UTC' });

  const first = await api.call<List>('GET', `${at}?limit=1&status=active`);
  const rest = await api.call<List>('GET', `${at}?limit=1&cursor=${encodeURIComponent(first.body.next!)}`);
  expect([...first.body.items, ...rest.body.items].map(({ id }) => id)).toEqual(['a/b', 'report']);
  expect(rest.body.next).toBeNull();
  expect((await api.call<List>('GET', `${at}?status=done`)).body.items).toEqual([]);

  expect((await api.call('DELETE', `${at}/report`)).status).toBe(204);
  expect((await api.call('DELETE', `${at}/report`)).status).toBe(404);
  expect((await api.call<List>('GET', at)).body.items.map(({ id }) => id)).toEqual(['a/b']);
});

test.each([
  [{ instruction: 'x' }, 'cron', 'plan "p" is new; give it one of runAfter, scheduledAt and cron'],
  [{ cron: '0 9 * * *' }, 'instruction', 'plan "p" is new; give it an instruction'],
  [{ instruction: 'x', runAfter: '1h', cron: '0 9 * * *' }, 'cron', 'exactly one of'],
  [{ instruction: 'x', cron: '@every 1s' }, 'cron', 'five fields'],
  [{ instruction: 'x', cron: '0 0 30 2 *' }, 'cron', 'never comes true'],
  [{ instruction: 'x', cron: '0 9 * * *', timeZone: 'Mars/Base' }, 'timeZone', 'Europe/Berlin'],
  [{ instruction: 'x', scheduledAt: '2020-01-01T00:00:00Z' }, 'scheduledAt', 'in the past'],
  [{ instruction: 'x', scheduledAt: '2999-01-01T00:00:00Z' }, 'scheduledAt', '10 years'],
  [{ instruction: 'x', runAfter: 'soon' }, 'runAfter', 'not a delay'],
  [{ instruction: 'x', runAfter: 30 }, 'runAfter', ''],
  [{ instruction: '', runAfter: '1h' }, 'instruction', ''],
  [{ instruction: 'x'.repeat(2_001), runAfter: '1h' }, 'instruction', ''],
  [{ instruction: 'x', runAfter: '1h', status: 'done' }, '', ''],
  [{}, '', ''],
])('a plan of %o is refused with a word on %s', async (body, path, words) => {
  const at = `/v1/agents/${await makeAgent()}/plans`;
  const refused = await api.call<Problem>('PUT', `${at}/p`, { body });
  expect(refused.status).toBe(422);
  if (path !== '') expect(refused.body.errors?.[0]?.path).toBe(path);
  expect(refused.body.detail + (refused.body.errors?.[0]?.message ?? '')).toContain(words);
  expect((await api.call<List>('GET', at)).body.items).toEqual([]);
});

test('plans are their own agent’s and organisation’s alone', async () => {
  const agentId = await makeAgent();
  const body = { instruction: 'x', runAfter: '1h' };
  await api.call('PUT', `/v1/agents/${agentId}/plans/p`, { body });
  const { key } = await api.createOrganization('Stranger');
  for (const [method, options] of [
    ['GET', {}],
    ['PUT', { body }],
    ['DELETE', {}],
  ] as const) {
    const path = method === 'GET' ? `/v1/agents/${agentId}/plans` : `/v1/agents/${agentId}/plans/p`;
    expect([method, (await api.call(method, path, { key, ...options })).status]).toEqual([method, 404]);
  }
  expect((await api.call<List>('GET', `/v1/agents/${await makeAgent()}/plans`)).body.items).toEqual([]);
  expect((await api.call('PUT', `/v1/agents/${api.home.id}/plans/p`, { body })).status).toBe(404);
  expect((await api.call('PUT', `/v1/agents/${agentId}/plans/${'n'.repeat(101)}`, { body })).status).toBe(422);
});

test('there is an end at a hundred active plans, and of those that ran the newest hundred stay', async () => {
  const agentId = await makeAgent();
  const owner = { orgId: api.home.id, agentId };
  const { db } = api.runtime;
  const entries = (prefix: string) =>
    Array.from({ length: 100 }, (_, index) => ({ id: `${prefix}${index}`, instruction: 'i', runAfter: '1d' }));
  const set = (prefix: string) =>
    db.transaction().execute((trx) => setPlans(trx, owner, entries(prefix), { floorSeconds: 60 }));
  await set('a');
  const more = { instruction: 'i', runAfter: '1h' };
  const refused = await api.call<Problem>('PUT', `/v1/agents/${agentId}/plans/more`, { body: more });
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    'there is room for 100 plans; delete those no longer needed first',
  ]);
  const changed = await api.call('PUT', `/v1/agents/${agentId}/plans/a7`, { body: { instruction: 'j' } });
  expect(changed.status).toBe(200);

  const ended = () =>
    db
      .updateTable('plans')
      .set({ status: 'done', next_run_at: null, last_run_at: new Date() })
      .where('agent_id', '=', agentId)
      .where('status', '=', 'active')
      .execute();
  await ended();
  await set('b');
  await ended();
  await api.call('PUT', `/v1/agents/${agentId}/plans/more`, { body: more });
  const { items } = (await api.call<List>('GET', `/v1/agents/${agentId}/plans?limit=200`)).body;
  expect(items.filter(({ status }) => status === 'done').map(({ id }) => id.charAt(0))).toEqual(
    Array.from({ length: 100 }, () => 'b'),
  );
  expect(items.filter(({ status }) => status === 'active').map(({ id }) => id)).toEqual(['more']);
});
