import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentWorkflowId } from '../../workflows/contract.ts';
import { newId } from '../../src/db/id.ts';
import { startApi, type TestApi } from '../support/api.ts';

type Id = { id: string };
type Agent = {
  id: string;
  name: string;
  model: string | null;
  version: number;
  status: string;
  settings: Record<string, unknown>;
};
type List<Item> = { items: Item[]; next: string | null };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function makeAgent(body: object = {}): Promise<Agent> {
  const answer = await api.call<Agent>('POST', '/v1/agents', {
    body: { name: 'Ada', instructions: 'Be kind.', ...body },
  });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function makeRun(
  agentId: string,
  values: { status: 'running' | 'committed'; startedAt?: Date },
): Promise<string> {
  const { db } = api.runtime;
  const prompt = 'You are Ada.';
  const hash = createHash('sha256').update(prompt).digest();
  await db
    .insertInto('prompts')
    .values({ agent_id: agentId, hash, org_id: api.home.id, text: prompt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const run = {
    id: newId(),
    org_id: api.home.id,
    agent_id: agentId,
    cycle: 1,
    status: values.status,
    model: 'rehearsal:demo',
    agent_version: 1,
    prompt_hash: hash,
    inbox_message: JSON.stringify({ role: 'user', content: 'Ana: Hello' }),
    event_count: 1,
    started_at: values.startedAt ?? new Date(),
  };
  await db.insertInto('runs').values(run).execute();
  return run.id;
}

describe('agents', () => {
  test('have every setting, given or default', async () => {
    const agent = await makeAgent({ settings: { maxSteps: 3 } });
    expect(agent).toMatchObject({ version: 1, status: 'asleep', model: null });
    expect(agent.settings).toMatchObject({
      maxSteps: 3,
      cycleTokenBudget: 50_000,
      awareness: 'combined',
      gatherMs: 50,
    });
  });

  test('change with a new version, and a setting of null goes back to its default', async () => {
    const agent = await makeAgent({ settings: { maxSteps: 3, gatherMs: 10 } });
    const body = { name: 'Adele', model: 'rehearsal:demo', settings: { maxSteps: null, effort: 'low' } };
    const changed = await api.call<Agent>('PATCH', `/v1/agents/${agent.id}`, { body });
    expect(changed.body).toMatchObject({ name: 'Adele', model: 'rehearsal:demo', version: 2 });
    expect(changed.body.settings).toMatchObject({ maxSteps: 20, gatherMs: 10, effort: 'low' });
    const stored = await api.runtime.db
      .selectFrom('agents')
      .select('settings')
      .where('id', '=', agent.id)
      .executeTakeFirstOrThrow();
    expect(stored.settings).toEqual({ gatherMs: 10, effort: 'low' });
  });

  test('deleted, leave their spaces, are found no more and are rung no more', async () => {
    const agent = await makeAgent();
    const ana = (await api.call<Id>('POST', '/v1/humans', { body: { name: 'Ana' } })).body.id;
    const space = (await api.call<Id>('POST', '/v1/spaces', { body: { name: 'Room', members: [ana, agent.id] } })).body
      .id;
    await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: ana, text: 'Hello' } });
    const runId = await makeRun(agent.id, { status: 'running' });
    const workflow = api.runtime.client.workflow.getHandle(agentWorkflowId(agent.id));
    await expect
      .poll(
        () =>
          workflow.describe().then(
            (found) => found.status.name,
            () => 'none',
          ),
        { timeout: 5_000 },
      )
      .toBe('RUNNING');

    expect((await api.call('DELETE', `/v1/agents/${agent.id}`)).status).toBe(204);
    expect((await api.call('DELETE', `/v1/agents/${agent.id}`)).status).toBe(404);
    expect((await api.call('GET', `/v1/agents/${agent.id}`)).status).toBe(404);
    expect((await api.call('GET', `/v1/agents/${agent.id}/runs`)).status).toBe(404);
    const found = await api.call<{ members: Id[] }>('GET', `/v1/spaces/${space}`);
    expect(found.body.members.map((member) => member.id)).toEqual([ana]);
    const { db } = api.runtime;
    expect(await db.selectFrom('inbox_events').select('id').where('agent_id', '=', agent.id).execute()).toEqual([]);
    expect(await db.selectFrom('runs').select('id').where('id', '=', runId).execute()).toEqual([]);
    // Temporal deletes the history when it finds the time; until then it shows how the workflow ended.
    const ended = await workflow.describe().then(
      (left) => left.status.name,
      () => 'GONE',
    );
    expect(['TERMINATED', 'GONE']).toContain(ended);
  });

  test('are thinking while their newest run is under way', async () => {
    const agent = await makeAgent();
    await makeRun(agent.id, { status: 'committed', startedAt: new Date(Date.now() - 60_000) });
    expect((await api.call<Agent>('GET', `/v1/agents/${agent.id}`)).body.status).toBe('asleep');
    await makeRun(agent.id, { status: 'running' });
    expect((await api.call<Agent>('GET', `/v1/agents/${agent.id}`)).body.status).toBe('thinking');
  });
});

describe('runs', () => {
  test('are listed newest first and paged without loss', async () => {
    const agent = await makeAgent();
    const made: string[] = [];
    for (let age = 5; age > 0; age -= 1) {
      made.push(
        await makeRun(agent.id, { status: 'committed', startedAt: new Date(Date.now() - Math.ceil(age / 2) * 1_000) }),
      );
    }
    const first = await api.call<List<Id>>('GET', `/v1/agents/${agent.id}/runs?limit=2`);
    const second = await api.call<List<Id>>('GET', `/v1/agents/${agent.id}/runs?limit=2&cursor=${first.body.next}`);
    const third = await api.call<List<Id>>('GET', `/v1/agents/${agent.id}/runs?limit=2&cursor=${second.body.next}`);
    const seen = [first, second, third].flatMap((page) => page.body.items.map((run) => run.id));
    expect(new Set(seen)).toEqual(new Set(made));
    expect(seen).toHaveLength(5);
    expect(made.slice(3)).toContain(seen[0]); // these two began at the same moment
    expect(third.body.next).toBeNull();
  });

  test('show their prompt, steps, tool calls and usage', async () => {
    const agent = await makeAgent();
    const runId = await makeRun(agent.id, { status: 'committed' });
    const { db } = api.runtime;
    const usage = { inputTokens: 100, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 5 };
    const generation = { content: [{ type: 'text', text: 'Hello' }], finishReason: { unified: 'stop' }, usage: {} };
    for (const step of [0, 1]) {
      await db
        .insertInto('run_steps')
        .values({
          run_id: runId,
          step,
          org_id: api.home.id,
          generation: JSON.stringify(generation),
          injected: null,
          finish_reason: 'tool-calls',
          usage: JSON.stringify(usage),
          started_at: new Date(),
        })
        .execute();
    }
    const call = {
      id: newId(),
      org_id: api.home.id,
      run_id: runId,
      step: 1,
      call_id: 'call-1',
      name: 'send_message',
      status: 'done' as const,
    };
    await db
      .insertInto('tool_calls')
      .values({ ...call, input: JSON.stringify({ text: 'Hi' }), output: JSON.stringify({ ok: true }) })
      .execute();

    const run = await api.call('GET', `/v1/runs/${runId}`);
    expect(run.body).toMatchObject({
      agentId: agent.id,
      prompt: 'You are Ada.',
      inboxMessage: { role: 'user', content: 'Ana: Hello' },
      usage: { inputTokens: 200, outputTokens: 40 },
      steps: [
        { step: 0, content: [{ type: 'text', text: 'Hello' }], toolCalls: [] },
        {
          step: 1,
          toolCalls: [{ callId: 'call-1', name: 'send_message', input: { text: 'Hi' }, output: { ok: true } }],
        },
      ],
    });
  });

  test('of an agent without a workflow cannot be stopped', async () => {
    const agent = await makeAgent();
    await makeRun(agent.id, { status: 'running' });
    const refused = await api.call('POST', `/v1/agents/${agent.id}/stop`);
    expect(refused.body).toMatchObject({ status: 409, code: 'agent-asleep' });
  });

  test('are stopped by a signal that names them', async () => {
    const agent = await makeAgent();
    const ana = (await api.call<Id>('POST', '/v1/humans', { body: { name: 'Ana' } })).body.id;
    const space = (await api.call<Id>('POST', '/v1/spaces', { body: { name: 'Room', members: [ana, agent.id] } })).body
      .id;
    await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: ana, text: 'Hello' } });
    const workflow = api.runtime.client.workflow.getHandle(agentWorkflowId(agent.id));
    await expect
      .poll(
        () =>
          workflow.describe().then(
            () => 'there',
            () => 'none',
          ),
        { timeout: 5_000 },
      )
      .toBe('there');
    const runId = await makeRun(agent.id, { status: 'running' });
    const stopped = await api.call('POST', `/v1/agents/${agent.id}/stop`);
    expect(stopped).toMatchObject({ status: 202, body: { runId } });
    const history = await workflow.fetchHistory();
    const signals = (history.events ?? []).flatMap(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
    );
    expect(signals).toContain('stop');
    await workflow.terminate();
  });
});

describe('what an agent has and remembers', () => {
  test('starts empty', async () => {
    const agent = await makeAgent();
    const path = `/v1/agents/${agent.id}`;
    expect((await api.call('GET', `${path}/consciousness`)).body).toEqual({
      cycleCount: 0,
      tokenEstimate: 0,
      messages: [],
    });
    for (const list of ['inbox', 'skips', 'runs'])
      expect((await api.call('GET', `${path}/${list}`)).body).toEqual({ items: [], next: null });
  });

  test('skips and inbox are paged newest first, the inbox by status too', async () => {
    const agent = await makeAgent();
    const ana = (await api.call<Id>('POST', '/v1/humans', { body: { name: 'Ana' } })).body.id;
    const space = (await api.call<Id>('POST', '/v1/spaces', { body: { name: 'Room', members: [ana, agent.id] } })).body
      .id;
    for (const text of ['1', '2', '3'])
      await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: ana, text, urgent: text === '2' } });
    type Entry = { id: string; urgent: boolean; message: { text: string } };
    const path = `/v1/agents/${agent.id}/inbox`;
    const first = await api.call<List<Entry>>('GET', `${path}?limit=2&status=pending`);
    const second = await api.call<List<Entry>>('GET', `${path}?limit=2&status=pending&cursor=${first.body.next}`);
    expect([...first.body.items, ...second.body.items].map((event) => [event.message.text, event.urgent])).toEqual([
      ['3', false],
      ['2', true],
      ['1', false],
    ]);
    expect((await api.call<List<Entry>>('GET', `${path}?status=done`)).body.items).toEqual([]);

    for (const reason of ['a', 'b', 'c']) {
      await api.runtime.db
        .insertInto('skips')
        .values({
          id: newId(Date.now() + reason.charCodeAt(0)),
          org_id: api.home.id,
          agent_id: agent.id,
          reason,
          model: 'rehearsal:demo',
          input_tokens: 5,
          output_tokens: 1,
          event_ids: [newId()],
        })
        .execute();
    }
    const skips = await api.call<List<{ reason: string }>>('GET', `/v1/agents/${agent.id}/skips?limit=2`);
    const rest = await api.call<List<{ reason: string }>>(
      'GET',
      `/v1/agents/${agent.id}/skips?limit=2&cursor=${skips.body.next}`,
    );
    expect([...skips.body.items, ...rest.body.items].map((skip) => skip.reason)).toEqual(['c', 'b', 'a']);
  });
});
