import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import {
  AGENT_WORKFLOW,
  agentWorkflowId,
  inboxSignal,
  statusQuery,
  stopSignal,
  type AgentInput,
} from '../../workflows/contract.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { eventually, openWorld, type Person, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const enter = (prompt: unknown) =>
  reply({ call: 'enter_space', input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! } });
const send = (text: string) => reply({ call: 'send_message', input: { text } });
const done = reply({ text: 'Done.' });

async function scene(model: ReturnType<typeof scriptedModel>, options: { settings?: object; retryMs?: number } = {}) {
  world = await openWorld({
    models: scriptedModels({ 'test:default': model }),
    ...(options.retryMs !== undefined && { retryMs: options.retryMs }),
  });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', options.settings === undefined ? {} : { settings: options.settings });
  const lobby = await world.space('Lobby', [ana, ada]);
  return { ana, ada, lobby, handle: world.runtime.client.workflow.getHandle(agentWorkflowId(ada.id)) };
}

const texts = async (spaceId: string): Promise<string[]> =>
  (await world.messages(spaceId)).map((message) => message.text);
const runs = (agent: Person) =>
  world.runtime.db.selectFrom('runs').selectAll().where('agent_id', '=', agent.id).orderBy('cycle').execute();

test('three messages in a moment are one cycle with one inbox message of three events (MS-12)', async () => {
  const model = scriptedModel(enter, send('Three votes.'), done);
  const { ana, ada, lobby } = await scene(model, { settings: { gatherMs: 300 } });
  await Promise.all(['yes', 'no', 'yes'].map((vote) => world.say(ana, lobby, vote)));
  await world.settled(ada);
  expect(await runs(ada)).toHaveLength(1);
  expect((await loadWindow(world.runtime.db, ada.id)).messages[0]!.content).toContain('INBOX (3 events)');
});

test('a message sent while the agent is thinking is answered in the next cycle, at once', async () => {
  const gate = Promise.withResolvers<void>();
  const model = scriptedModel(
    enter,
    async () => {
      await gate.promise;
      return send('First.');
    },
    done,
    send('Second.'),
    done,
  );
  const { ana, ada, lobby } = await scene(model);
  await world.say(ana, lobby, 'one');
  await eventually('the agent is asked for its second step', 5_000, () =>
    Promise.resolve(model.doStreamCalls.length === 2),
  );
  await world.say(ana, lobby, 'two');
  gate.resolve();
  await world.settled(ada);
  expect(await texts(lobby)).toEqual(['one', 'two', 'First.', 'Second.']);
  expect((await runs(ada)).map((run) => run.cycle)).toEqual([1, 2]);
});

test('the same signal twice wakes the agent once, and the Web UI says what it is doing', async () => {
  const { ana, ada, lobby, handle } = await scene(scriptedModel(enter, send('Hi.'), done));
  await world.say(ana, lobby, 'one');
  await world.settled(ada);
  const [event] = await world.runtime.db.selectFrom('inbox_events').select('id').execute();
  await handle.signal(inboxSignal, { events: [{ id: event!.id, type: 'message' }] });
  await eventually(
    'the agent is asleep again',
    5_000,
    async () => (await handle.query(statusQuery)).status === 'asleep',
  );
  expect(await handle.query(statusQuery)).toMatchObject({ status: 'asleep', cycle: 1, waiting: 0, summary: 'Done.' });
  const history = await handle.fetchHistory();
  const activities = history.events!.filter((one) => Boolean(one.activityTaskScheduledEventAttributes));
  expect(activities).toHaveLength(1);
  const described = await handle.describe();
  expect(described.typedSearchAttributes.getAll().map((pair) => String(pair.value))).toEqual(
    expect.arrayContaining([world.orgId, ada.id, 'asleep']),
  );
});

test('stop ends the model call, keeps finished steps, and the next message is answered (TL-29, D19)', async () => {
  const never = new Promise<never>(() => undefined);
  const model = scriptedModel(enter, () => never, send('Here again.'), done);
  const { ana, ada, lobby, handle } = await scene(model);
  await world.say(ana, lobby, 'one');
  await eventually('the agent is asked for its second step', 5_000, () =>
    Promise.resolve(model.doStreamCalls.length === 2),
  );
  const [run] = await runs(ada);
  const asked = Date.now();
  await handle.signal(stopSignal, { runId: run!.id });
  await world.settled(ada);
  expect(Date.now() - asked).toBeLessThan(2_000);
  expect((await runs(ada))[0]).toMatchObject({ status: 'stopped', cycle: 1 });
  const { messages } = await loadWindow(world.runtime.db, ada.id);
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);

  await world.say(ana, lobby, 'two');
  await world.settled(ada);
  expect(await texts(lobby)).toEqual(['one', 'two', 'Here again.']);
});

test('three failed cycles send the events to the dead letters, the space is told, and the agent lives on', async () => {
  let failing = true;
  const answers = scriptedModel(enter, send('Back.'), done);
  const model = scriptedModel();
  model.doStream = (options) => (failing ? Promise.reject(new Error('no model today')) : answers.doStream(options));
  const { ana, ada, lobby } = await scene(model, { retryMs: 1 });
  await world.say(ana, lobby, 'one');
  await world.settled(ada);
  const [event] = await world.runtime.db.selectFrom('inbox_events').selectAll().execute();
  expect(event).toMatchObject({ status: 'dead', failures: 3, error: 'no model today' });
  const log = await world.runtime.db.selectFrom('space_events').select('type').orderBy('seq').execute();
  expect(log.map((one) => one.type)).toContain('agent.failed');
  expect(log.filter((one) => one.type === 'agent.retrying')).toHaveLength(11);

  failing = false;
  await world.say(ana, lobby, 'two');
  await world.settled(ada);
  expect(await texts(lobby)).toEqual(['one', 'two', 'Back.']);
});

test('a terminated agent comes back when something reaches its inbox, and finishes the run it was in', async () => {
  const never = new Promise<never>(() => undefined);
  const model = scriptedModel(enter, () => never, send('Back.'), done);
  const { ana, ada, lobby, handle } = await scene(model);
  await world.say(ana, lobby, 'one');
  await eventually('the agent is asked for its second step', 5_000, () =>
    Promise.resolve(model.doStreamCalls.length === 2),
  );
  await handle.terminate('test');
  await world.say(ana, lobby, 'two');
  await world.runtime.db
    .updateTable('inbox_events')
    .set({ dispatched_at: null })
    .where('status', '=', 'pending')
    .execute();
  await eventually('the first run is committed', 20_000, async () => (await runs(ada))[0]?.status === 'committed');
  expect((await texts(lobby)).filter((text) => text === 'Back.')).toHaveLength(1);
});

test('signals that arrive across continue-as-new are all answered, none twice', async () => {
  const model = scriptedModel();
  const answers = { count: 0 };
  model.doStream = async ({ prompt }) => {
    answers.count += 1;
    const parts = JSON.stringify(prompt.at(-1)).includes('INBOX') ? enter(prompt) : done;
    return {
      stream: new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  };
  const { ana, ada, lobby, handle } = await scene(model, { settings: { gatherMs: 0 } });
  const input: AgentInput = { agentId: ada.id, orgId: world.orgId, name: 'Ada', rollover: { signals: 3, events: 60 } };
  await world.runtime.client.workflow.start(AGENT_WORKFLOW, {
    workflowId: agentWorkflowId(ada.id),
    taskQueue: world.runtime.config.taskQueue,
    args: [input],
  });
  for (let index = 0; index < 60; index += 1) {
    await world.say(ana, lobby, `message ${index}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await world.settled(ada, 30_000);
  const { messages } = await loadWindow(world.runtime.db, ada.id);
  // Its inbox alone: what enter_space shows of the space may be far ahead of it.
  const inboxes = messages.flatMap(({ role, content }) => (role === 'user' ? [JSON.stringify(content)] : []));
  const heard = inboxes.flatMap((inbox) => [...inbox.matchAll(/message (\d+)\\*"/g)].map((match) => Number(match[1])));
  expect(heard).toEqual([...Array(60).keys()]);
  expect((await handle.describe()).runId).not.toBe(await firstRun(handle.workflowId));
});

async function firstRun(workflowId: string): Promise<string> {
  const runIds: string[] = [];
  for await (const execution of world.runtime.client.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
    runIds.push(execution.runId);
  return runIds.at(-1)!;
}
