import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../src/db/id.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { liveCycle } from '../support/cycles.ts';

type Exported = Record<string, { [name: string]: unknown }[]> & { cycleCount: number; agent: { id: string } };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function make(path: string, body: object): Promise<string> {
  return (await api.call<{ id: string }>('POST', path, { body })).body.id;
}

test('an export holds every row of the agent once, and nothing of another', async () => {
  const { db } = api.runtime;
  const orgId = api.home.id;
  const agentId = await make('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
  const other = await make('/v1/agents', { name: 'Bob', instructions: 'Be short.' });
  const ana = await make('/v1/humans', { name: 'Ana' });
  const space = await make('/v1/spaces', { name: 'Room', members: [ana, agentId, other] });
  // More than a page of everything that pages: 50 rows, 5 runs.
  for (let cycle = 1; cycle <= 60; cycle += 1) {
    const runId = await liveCycle(db, { id: agentId, orgId }, cycle);
    const step = { run_id: runId, step: 0, org_id: orgId, generation: '{}', finish_reason: 'stop', usage: '{}' };
    await db
      .insertInto('run_steps')
      .values({ ...step, injected: null, started_at: new Date() })
      .execute();
    const call = { id: newId(), org_id: orgId, run_id: runId, step: 0, call_id: 'c', name: 'send_message' };
    await db
      .insertInto('tool_calls')
      .values({ ...call, input: '{"text":"hi"}', status: 'done', output: '{}' })
      .execute();
  }
  await liveCycle(db, { id: other, orgId }, 1);
  for (let index = 1; index <= 60; index += 1) {
    await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: agentId, text: `said ${index}` } });
    await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: ana, text: `heard ${index}` } });
    await api.call('PUT', `/v1/agents/${agentId}/memories/key${index}`, { body: { value: 'v' } });
  }
  await api.call('PUT', `/v1/agents/${agentId}/goals/hotel`, { body: { description: 'Book a hotel' } });
  await api.call('PUT', `/v1/agents/${agentId}/plans/call`, {
    body: { instruction: 'Call the hotel', runAfter: '1d' },
  });

  const answer = await api.call<Exported>('GET', `/v1/agents/${agentId}/export`);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="agent-${agentId}.json"`);
  const { body } = answer;
  expect(body).toMatchObject({ version: 1, cycleCount: 60, agent: { id: agentId, instructions: 'Be kind.' } });
  const counts = Object.entries(body).flatMap(([name, rows]) => (Array.isArray(rows) ? [[name, rows.length]] : []));
  expect(Object.fromEntries(counts)).toEqual({
    consciousness: 120,
    compactions: 0,
    cycleTexts: 60,
    prompts: 0,
    runs: 60,
    skips: 0,
    inbox: 60,
    memories: 60,
    memoryChanges: 60,
    goals: 1,
    goalChanges: 1,
    plans: 1,
    messages: 60,
  });
  expect(body['consciousness']!.map((row) => row['seq'])).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  expect(body['consciousness']![0]).toMatchObject({ cycle: 1, kind: 'inbox', message: { role: 'user' } });
  expect(new Set(body['runs']!.map((run) => run['id'])).size).toBe(60);
  expect(body['runs']![0]).toMatchObject({ cycle: 1, steps: [{ step: 0, toolCalls: [{ input: { text: 'hi' } }] }] });
  expect(body['messages']!.map((message) => message['text'])).toContain('said 60');
  expect(JSON.stringify(body)).not.toContain(other);
  expect(JSON.stringify(body)).not.toContain('"tsv"');
});

test('an export of an agent that never lived is short, and of one that is not there a 404', async () => {
  const agentId = await make('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
  const answer = await api.call<Exported>('GET', `/v1/agents/${agentId}/export`);
  expect(answer.body).toMatchObject({ cycleCount: 0, consciousness: [], runs: [], messages: [] });
  expect((await api.call('GET', `/v1/agents/${newId()}/export`)).status).toBe(404);
});
