import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../src/db/id.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { eventually } from '../support/world.ts';

let api: TestApi;
let agentId: string;
let spaceId: string;

beforeAll(async () => {
  api = await startApi();
  const make = async (path: string, body: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', path, { body })).body.id;
  agentId = await make('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
  spaceId = await make('/v1/spaces', { name: 'Room' });
});
afterAll(() => api.close());

/** Every line of a scrape: the series and its value. */
async function scrape(key = api.home.key): Promise<Map<string, number>> {
  const { status, headers, body } = await api.call<string>('GET', '/metrics', { key });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) expect(line).toMatch(/^[a-z_]+(\{[^}]*\})? \d+(\.\d+)?(e-?\d+)?$/);
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

async function addEvent(values: { status: 'pending' | 'dead'; created_at?: Date; dispatched_at?: Date }) {
  const row = { id: newId(), org_id: api.home.id, agent_id: agentId, type: 'service' as const, ...values };
  await api.runtime.db.insertInto('inbox_events').values(row).execute();
}

test('the gauges tell how the key’s organisation stands, and no other', async () => {
  const minuteAgo = new Date(Date.now() - 60_000);
  // Dispatched just now, so that no sweep of this process takes it up.
  await addEvent({ status: 'pending', created_at: minuteAgo, dispatched_at: new Date() });
  await addEvent({ status: 'dead' });
  await addEvent({ status: 'dead' });
  await api.runtime.db
    .insertInto('runs')
    .values({
      id: newId(),
      org_id: api.home.id,
      agent_id: agentId,
      cycle: 1,
      status: 'failed',
      model: 'rehearsal:demo',
      agent_version: 1,
      prompt_hash: Buffer.alloc(32),
      inbox_message: JSON.stringify({ role: 'user', content: 'x' }),
      event_count: 1,
    })
    .execute();
  const draft = { id: newId(), org_id: api.home.id, space_id: spaceId, run_id: newId(), attempt: 1 };
  await api.runtime.db.insertInto('drafts').values(draft).execute();

  const mine = await scrape();
  expect(mine.get('wakeful_inbox_pending')).toBe(1);
  expect(mine.get('wakeful_inbox_oldest_pending_seconds')).toBeGreaterThanOrEqual(59);
  expect(mine.get('wakeful_inbox_oldest_undispatched_seconds')).toBe(0);
  expect(mine.get('wakeful_inbox_dead')).toBe(2);
  expect(mine.get('wakeful_drafts_open')).toBe(1);
  expect(mine.get('wakeful_runs_last_hour{status="failed"}')).toBe(1);
  expect(mine.get('wakeful_runs_last_hour{status="running"}')).toBe(0);

  const others = await scrape((await api.createOrganization('Stranger')).key);
  expect(others.get('wakeful_inbox_dead')).toBe(0);
  expect(others.get('wakeful_runs_last_hour{status="failed"}')).toBe(0);
});

test('requests are counted by pattern and class of status, never by id', async () => {
  const series = 'wakeful_http_requests_total{method="GET",route="/v1/agents/:agentId",status="2xx"}';
  const before = (await scrape()).get(series) ?? 0;
  await api.call('GET', `/v1/agents/${agentId}`);
  await api.call('GET', `/v1/agents/${newId()}`);
  await api.call('GET', '/nowhere');
  const after = await scrape();
  expect(after.get(series)).toBe(before + 1);
  expect(after.get(series.replace('2xx', '4xx'))).toBeGreaterThanOrEqual(1);
  expect(after.get('wakeful_http_requests_total{method="GET",route="other",status="4xx"}')).toBeGreaterThanOrEqual(1);
  expect([...after.keys()].join('\n')).not.toContain(agentId);
});

test('an event stream is counted while it is open', async () => {
  const open = async (): Promise<number | undefined> => (await scrape()).get('wakeful_event_streams_open');
  expect(await open()).toBe(0);
  const stop = new AbortController();
  const response = await fetch(`${api.url}/v1/spaces/${spaceId}/events`, {
    headers: { authorization: `Bearer ${api.home.key}` },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  expect(await open()).toBe(1);
  stop.abort();
  await eventually('the stream that was left is counted no more', 5_000, async () => (await open()) === 0);
});

test('figures are for admin keys alone', async () => {
  expect((await api.call('GET', '/metrics', { key: '' })).status).toBe(401);
});
