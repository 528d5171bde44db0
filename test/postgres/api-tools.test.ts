import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { deferCall } from '../../src/cycle/defer-call.ts';
import { newId } from '../../src/db/id.ts';
import { startApi, type Organization, type TestApi } from '../support/api.ts';
import { liveCycle } from '../support/cycles.ts';

type Tool = { id: string; name: string; description: string; inputSchema: object; kind: string };
type Agent = { id: string; tools: string[] | null; version: number };
type Call = { id: string; runId: string; agentId: string; name: string; input: unknown; status: string };
type List<Item> = { items: Item[]; next: string | null };
type Problem = { status: number; detail: string; errors?: { path: string; message: string }[] };

const SCHEMA = { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] };

let api: TestApi;
let stranger: Organization;
let names = 0;
beforeAll(async () => {
  api = await startApi();
  stranger = await api.createOrganization('Stranger');
});
afterAll(() => api.close());

const toolBody = (given: object = {}) => ({
  name: `tool_${(names += 1)}`,
  description: 'Ships an order.',
  inputSchema: SCHEMA,
  kind: 'external',
  ...given,
});

async function makeTool(given: object = {}): Promise<Tool> {
  const made = await api.call<Tool>('POST', '/v1/tools', { body: toolBody(given) });
  expect(made.status).toBe(201);
  return made.body;
}

async function makeAgent(given: object = {}): Promise<Agent> {
  const body = { name: 'Ada', instructions: 'Be kind.', ...given };
  return (await api.call<Agent>('POST', '/v1/agents', { body })).body;
}

/** A call as a cycle leaves it. */
async function openCall(agentId: string, cycle = 1): Promise<string> {
  const { db } = api.runtime;
  const runId = await liveCycle(db, { id: agentId, orgId: api.home.id }, cycle);
  const call = { id: newId(), org_id: api.home.id, run_id: runId, step: 0, call_id: 'call-0', name: 'ship_order' };
  await db
    .insertInto('tool_calls')
    .values({ ...call, input: '{"orderId":"7"}', status: 'pending', told: '{"status":"pending"}' })
    .execute();
  return call.id;
}

const answer = <Body = Call>(callId: string, body: unknown, key = api.home.key) =>
  api.call<Body>('POST', `/v1/tool-calls/${callId}/result`, { body, key });

const resultsOf = (agentId: string) =>
  api.runtime.db
    .selectFrom('inbox_events')
    .select(['type', 'payload', 'sender_id', 'space_id'])
    .where('agent_id', '=', agentId)
    .execute();

const rowOf = (callId: string) =>
  api.runtime.db.selectFrom('tool_calls').selectAll().where('id', '=', callId).executeTakeFirstOrThrow();

describe('a tool of the organisation', () => {
  test('is made, listed, changed and deleted, its schema kept as it was sent (TC-32)', async () => {
    const made = await makeTool();
    expect(made).toMatchObject({ description: 'Ships an order.', kind: 'external' });
    expect(JSON.stringify(made.inputSchema)).toBe(JSON.stringify(SCHEMA));
    expect((await api.call<Tool>('GET', `/v1/tools/${made.id}`)).body).toEqual(made);
    const inputSchema = { type: 'object' };
    const changed = await api.call<Tool>('PATCH', `/v1/tools/${made.id}`, { body: { inputSchema } });
    expect(changed.body).toMatchObject({ id: made.id, description: 'Ships an order.', inputSchema });
    const list = await api.call<List<Tool>>('GET', '/v1/tools');
    expect(list.body.items).toEqual([changed.body]);
    expect((await api.call('DELETE', `/v1/tools/${made.id}`)).status).toBe(204);
    expect((await api.call('GET', `/v1/tools/${made.id}`)).status).toBe(404);
  });

  test('has a name that no other tool and no built-in one has', async () => {
    const { name } = await makeTool();
    for (const taken of [name, 'send_message', 'skip']) {
      expect((await api.call('POST', '/v1/tools', { body: toolBody({ name: taken }) })).status).toBe(409);
    }
    const body = toolBody({ name });
    expect((await api.call('POST', '/v1/tools', { body, key: stranger.key })).status).toBe(201);
    const twice = await Promise.all(
      Array.from({ length: 5 }, () => api.call('POST', '/v1/tools', { body: toolBody({ name: 'only_one' }) })),
    );
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
  });

  const nested = (levels: number): object =>
    levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } };

  test.each([
    ['a name with a capital', { name: 'Ship' }, 'name'],
    ['a name that begins with a digit', { name: '1_ship' }, 'name'],
    ['a name of 65 letters', { name: 'a'.repeat(65) }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank description', { description: ' ' }, 'description'],
    ['a long description', { description: 'x'.repeat(4_097) }, 'description'],
    ['another kind', { kind: 'http' }, 'kind'],
    ['a URL', { url: 'https://example.com' }, 'url'],
    ['a list as schema', { inputSchema: [] }, 'inputSchema'],
    ['null as schema', { inputSchema: null }, 'inputSchema'],
    ['a schema of another type', { inputSchema: { type: 'string' } }, 'inputSchema'],
    ['a schema without a type', { inputSchema: {} }, 'inputSchema'],
    ['properties that are none', { inputSchema: { type: 'object', properties: 5 } }, 'inputSchema'],
    ['a property that is no schema', { inputSchema: { type: 'object', properties: { a: 'x' } } }, 'inputSchema'],
    ['a required that is no list', { inputSchema: { type: 'object', required: 'a' } }, 'inputSchema'],
    [
      'a reference',
      { inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/s.json' } } } },
      'inputSchema',
    ],
    ['a reference to itself', { inputSchema: { type: 'object', $ref: '#' } }, 'inputSchema'],
    ['a deep schema', { inputSchema: nested(10) }, 'inputSchema'],
    ['a large schema', { inputSchema: { type: 'object', description: 'ä'.repeat(16_384) } }, 'inputSchema'],
  ])('is refused with %s', async (_what, given, path) => {
    const refused = await api.call<Problem>('POST', '/v1/tools', { body: toolBody(given) });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, path]);
  });

  test('that is of a kind still to come is refused with that word', async () => {
    const refused = await api.call<Problem>('POST', '/v1/tools', { body: toolBody({ kind: 'space' }) });
    expect(refused.body.errors?.[0]?.message).toContain('not supported yet');
  });

  test('goes to agents that name it, and to no one who does not', async () => {
    const { id, name } = await makeTool();
    expect((await makeAgent()).tools).toBeNull();
    const ada = await makeAgent({ tools: ['send_message', name] });
    expect(ada.tools).toEqual(['send_message', name]);
    const fields = { name: 'Eve', instructions: 'x', tools: ['send_message', name] };
    const foreign = await api.call<Problem>('POST', '/v1/agents', { body: fields, key: stranger.key });
    expect([foreign.status, foreign.body.errors?.[0]?.path]).toEqual([422, 'tools.1']);
    const unknown = await api.call('PATCH', `/v1/agents/${ada.id}`, { body: { tools: ['nothing'] } });
    expect(unknown.status).toBe(422);

    await api.call('DELETE', `/v1/tools/${id}`);
    const after = (await api.call<Agent>('GET', `/v1/agents/${ada.id}`)).body;
    expect(after).toMatchObject({ tools: ['send_message'], version: ada.version + 1 });
  });
});

describe('a pending call', () => {
  test('is listed until it is answered, and its answer is one event in the inbox (TC-32)', async () => {
    const ada = await makeAgent();
    const calls = [await openCall(ada.id, 1), await openCall(ada.id, 2)];
    const first = await api.call<List<Call>>('GET', '/v1/tool-calls?status=pending&limit=1');
    const second = await api.call<List<Call>>('GET', `/v1/tool-calls?status=pending&limit=1&cursor=${first.body.next}`);
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(calls.toSorted());
    expect(first.body.items[0]).toMatchObject({ agentId: ada.id, name: 'ship_order', input: { orderId: '7' } });
    expect((await api.call<List<Call>>('GET', '/v1/tool-calls?status=waiting')).body.items).toEqual([]);
    expect((await api.call('GET', '/v1/tool-calls?status=done')).status).toBe(422);

    const [done, failed] = calls as [string, string];
    expect((await answer(done, { output: { shipped: true } })).body).toMatchObject({ id: done, status: 'done' });
    expect((await answer(failed, { error: 'out of stock' })).body).toMatchObject({ id: failed, status: 'failed' });
    expect(await resultsOf(ada.id)).toEqual([
      {
        type: 'tool_result',
        payload: { callId: done, tool: 'ship_order', output: { shipped: true } },
        sender_id: null,
        space_id: null,
      },
      {
        type: 'tool_result',
        payload: { callId: failed, tool: 'ship_order', error: 'out of stock' },
        sender_id: null,
        space_id: null,
      },
    ]);
    expect(await rowOf(done)).toMatchObject({ output: { shipped: true }, ended_at: expect.any(Date) });
    expect(await rowOf(failed)).toMatchObject({ output: { error: 'out of stock' }, told: { status: 'pending' } });
    expect((await api.call<List<Call>>('GET', '/v1/tool-calls')).body.items).toEqual([]);
  });

  test('takes one of five answers that come at once, and the others change nothing (P12)', async () => {
    const ada = await makeAgent();
    const callId = await openCall(ada.id);
    const answers = await Promise.all([1, 2, 3, 4, 5].map((output) => answer(callId, { output })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    const winner = answers.findIndex(({ status }) => status === 200) + 1;
    const late = await answer<Problem>(callId, { error: 'too late' });
    expect([late.status, late.body.detail]).toEqual([
      409,
      `tool call ${callId} is done, not pending; only the first answer counts`,
    ]);
    expect(await rowOf(callId)).toMatchObject({ status: 'done', output: winner });
    expect((await resultsOf(ada.id)).map(({ payload }) => payload)).toEqual([
      { callId, tool: 'ship_order', output: winner },
    ]);
  });

  test('tells a retried step what it was told at first, though the answer has come since (TC-32, P12)', async () => {
    const { db } = api.runtime;
    for (const answered of [{ output: 'shipped' }, { error: 'out of stock' }]) {
      const ada = await makeAgent();
      const id = await liveCycle(db, { id: ada.id, orgId: api.home.id }, 1);
      await db.updateTable('runs').set({ status: 'running' }).where('id', '=', id).execute();
      const run = { id, orgId: api.home.id, fence: 1 };
      const call = {
        run,
        step: 0,
        callId: 'call-0',
        name: 'ship_order',
        input: { orderId: '7' },
        longestOutput: 80_000,
      };
      const told = (await deferCall(db, call)) as { status: string; callId: string };
      expect(told.status).toBe('pending');
      expect((await answer(told.callId, answered)).status).toBe(200);
      await db.updateTable('runs').set({ fence: 2 }).where('id', '=', id).execute();
      expect(await deferCall(db, { ...call, run: { ...run, fence: 2 } })).toEqual(told);
      expect(await db.selectFrom('tool_calls').select('id').where('run_id', '=', id).execute()).toHaveLength(1);
      await expect(deferCall(db, { ...call, callId: 'call-1' }), 'an attempt that was taken over').rejects.toThrow(
        'taken over',
      );
      expect(await resultsOf(ada.id)).toHaveLength(1);
    }
  });

  test('gives the same answer to a repeated request with the same idempotency key', async () => {
    const ada = await makeAgent();
    const callId = await openCall(ada.id);
    const send = () =>
      api.call('POST', `/v1/tool-calls/${callId}/result`, {
        body: { output: 'yes' },
        headers: { 'idempotency-key': callId },
      });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    expect(await resultsOf(ada.id)).toHaveLength(1);
  });

  test.each([
    ['null', null],
    ['false', false],
    ['an empty text', ''],
    ['a number', 0],
    ['a list', [1, 'two']],
  ])('takes %s as output', async (_what, output) => {
    const ada = await makeAgent();
    const callId = await openCall(ada.id);
    expect((await answer(callId, { output })).status).toBe(200);
    expect((await resultsOf(ada.id))[0]!.payload).toEqual({ callId, tool: 'ship_order', output });
  });

  test.each([
    ['neither', {}],
    ['both', { output: 1, error: 'x' }],
    ['a blank error', { error: ' ' }],
    ['an error that is no text', { error: {} }],
    ['something else', { output: 1, more: 1 }],
    ['too much', { output: 'x'.repeat(262_143) }],
  ])('is not answered with %s', async (_what, body) => {
    const ada = await makeAgent();
    const callId = await openCall(ada.id);
    expect((await answer(callId, body)).status).toBe(422);
    expect((await rowOf(callId)).status).toBe('pending');
    expect(await resultsOf(ada.id)).toEqual([]);
    expect((await answer(callId, { error: 'ended by the test' })).status).toBe(200);
  });

  test('has a long output cut for the inbox and kept whole for read_result', async () => {
    const ada = await makeAgent({ settings: { maxToolResultChars: 1_000 } });
    const callId = await openCall(ada.id);
    const output = { log: 'x'.repeat(5_000) };
    expect((await answer(callId, { output })).status).toBe(200);
    const payload = (await resultsOf(ada.id))[0]!.payload as { output: { resultId: string; shown: string } };
    expect(payload.output).toMatchObject({ truncated: true, resultId: callId });
    expect(payload.output.shown.length).toBeLessThanOrEqual(1_000);
    expect((await rowOf(callId)).whole_output).toBe(JSON.stringify(output));
  });

  test('is a 404 to another organisation, and to everyone once its agent is erased', async () => {
    const ada = await makeAgent();
    const callId = await openCall(ada.id);
    expect((await answer(callId, { output: 1 }, stranger.key)).status).toBe(404);
    expect((await answer(newId(), { output: 1 })).status).toBe(404);
    const theirs = await api.call<List<Call>>('GET', '/v1/tool-calls', { key: stranger.key });
    expect(theirs.body.items).toEqual([]);
    expect((await rowOf(callId)).status).toBe('pending');
    await api.call('DELETE', `/v1/agents/${ada.id}`);
    expect((await answer(callId, { output: 1 })).status).toBe(404);
    expect(await resultsOf(ada.id)).toEqual([]);
  });
});
