import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../src/db/id.ts';
import { startApi, type TestApi } from '../support/api.ts';

type Sums = { cycles: number; skips: number; steps: number; inputTokens: number; costUsd: number; priced: boolean };
type Usage = { items: (Sums & { day?: string; model?: string })[]; total: Sums; next: null };

const PRICED = 'openai:gpt-5';
const UNPRICED = 'compatible:mystery';

let api: TestApi;
let agentId: string;

beforeAll(async () => {
  api = await startApi();
  const body = { name: 'Ada', instructions: 'Be kind.' };
  agentId = (await api.call<{ id: string }>('POST', '/v1/agents', { body })).body.id;
  // Two days: a cycle over midnight with two steps, a skip, and a cycle with a model of unknown price.
  const late = await addRun(PRICED);
  await addStep(late, 0, '2026-03-01T23:59:00Z', 0.01);
  await addStep(late, 1, '2026-03-02T00:01:00Z', 0.02);
  await addSkip('2026-03-02T10:00:00Z', 0.005);
  await addStep(await addRun(UNPRICED), 0, '2026-03-02T12:00:00Z', 0);
});
afterAll(() => api.close());

async function addRun(model: string): Promise<string> {
  const id = newId();
  await api.runtime.db
    .insertInto('runs')
    .values({
      id,
      org_id: api.home.id,
      agent_id: agentId,
      cycle: 1,
      status: 'committed',
      model,
      agent_version: 1,
      prompt_hash: Buffer.alloc(32),
      inbox_message: JSON.stringify({ role: 'user', content: 'x' }),
      event_count: 1,
    })
    .execute();
  return id;
}

async function addStep(runId: string, step: number, at: string, costUsd: number): Promise<void> {
  const usage = { inputTokens: 100, cacheReadTokens: 40, cacheWriteTokens: 10, outputTokens: 20, reasoningTokens: 5 };
  await api.runtime.db
    .insertInto('run_steps')
    .values({
      run_id: runId,
      step,
      org_id: api.home.id,
      generation: JSON.stringify({ content: [] }),
      finish_reason: 'stop',
      usage: JSON.stringify(usage),
      cost_usd: costUsd,
      started_at: new Date(at),
      generated_at: new Date(at),
    })
    .execute();
}

async function addSkip(at: string, costUsd: number): Promise<void> {
  await api.runtime.db
    .insertInto('skips')
    .values({
      id: newId(),
      org_id: api.home.id,
      agent_id: agentId,
      reason: 'not for me',
      model: PRICED,
      input_tokens: 50,
      output_tokens: 2,
      cache_read_tokens: 30,
      cost_usd: costUsd,
      event_ids: [newId()],
      created_at: new Date(at),
    })
    .execute();
}

async function usage(query: string): Promise<Usage> {
  const answer = await api.call<Usage>('GET', `/v1/agents/${agentId}/usage${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

test('usage by day counts each step where it fell, newest day first, skips included (P19)', async () => {
  const { items, total, next } = await usage('');
  expect(items.map(({ day, cycles, skips, steps }) => ({ day, cycles, skips, steps }))).toEqual([
    { day: '2026-03-02', cycles: 1, skips: 1, steps: 3 },
    { day: '2026-03-01', cycles: 1, skips: 0, steps: 1 },
  ]);
  expect(items[0]).toMatchObject({ inputTokens: 250, cacheReadTokens: 110, outputTokens: 42, reasoningTokens: 10 });
  expect(items[0]!.costUsd).toBeCloseTo(0.025);
  expect(items.map((item) => item.priced)).toEqual([false, true]);
  expect(total).toMatchObject({
    cycles: 2,
    skips: 1,
    steps: 4,
    inputTokens: 350,
    cacheReadTokens: 150,
    cacheWriteTokens: 30,
    outputTokens: 62,
    reasoningTokens: 15,
    priced: false,
  });
  expect(total.costUsd).toBeCloseTo(0.035);
  expect(next).toBeNull();
});

test('usage by model says which models have no known price', async () => {
  const { items } = await usage('?by=model');
  expect(items.map(({ model, cycles, skips, priced }) => ({ model, cycles, skips, priced }))).toEqual([
    { model: PRICED, cycles: 1, skips: 1, priced: true },
    { model: UNPRICED, cycles: 1, skips: 0, priced: false },
  ]);
});

test('from and to are days in UTC, both included', async () => {
  expect((await usage('?from=2026-03-02')).items.map((item) => item.day)).toEqual(['2026-03-02']);
  expect((await usage('?to=2026-03-01')).items.map((item) => item.day)).toEqual(['2026-03-01']);
  expect((await usage('?from=2026-03-01&to=2026-03-02')).total.steps).toBe(4);
  expect(await usage('?from=2026-03-03')).toMatchObject({ items: [], total: { cycles: 0, costUsd: 0, priced: true } });
});

test.each(['by=week', 'from=yesterday', 'from=2026-02-30', 'from=2026-03-02&to=2026-03-01', 'limit=5'])(
  '?%s is refused',
  async (query) => {
    expect((await api.call('GET', `/v1/agents/${agentId}/usage?${query}`)).status).toBe(422);
  },
);
