import type { ModelMessage } from 'ai';
import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { newId } from '../../src/db/id.ts';
import { AGENT_WORKFLOW, agentWorkflowId, inboxSignal, type AgentInput } from '../../workflows/contract.ts';
import { reply, scriptedModel, scriptedModels, streamOf } from '../support/scripted-model.ts';
import { eventually, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const words = (message: ModelMessage | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content);

test('compaction keeps the window within its limit, shows in the history, and every earlier moment can still be seen (CN-14…CN-22, TL-02, TL-06, TL-23)', async () => {
  const model = scriptedModel();
  let cycle = 0;
  model.doStream = ({ prompt, tools }) => {
    cycle += 1;
    const total = Math.ceil(JSON.stringify([prompt, tools]).length / 3.5);
    const usage = {
      inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 90, text: 90, reasoning: 0 },
    };
    const parts = reply({ text: `Cycle ${cycle}: answered question ${cycle}. ${'More. '.repeat(60)}` });
    return Promise.resolve({
      stream: streamOf(parts.map((part) => (part.type === 'finish' ? { ...part, usage } : part))),
    });
  };
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const { db, client } = world.runtime;
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', {
    settings: { maxConsciousnessTokens: 2_000, minRecentCycles: 3, gatherMs: 0 },
  });
  const lobby = await world.space('Lobby', [ana, ada]);
  for (let index = 1; index <= 30; index += 1) {
    await world.say(ana, lobby, `question ${index} ${'and '.repeat(40)}`);
    await world.settled(ada);
  }
  const handle = client.workflow.getHandle(agentWorkflowId(ada.id));
  await eventually('the last compaction is written', 5_000, async () => {
    const head = await db
      .selectFrom('consciousness')
      .select(['token_estimate', 'calibration'])
      .executeTakeFirstOrThrow();
    return head.token_estimate * head.calibration <= 2_000;
  });
  const compactions = await db.selectFrom('compactions').selectAll().orderBy('after_cycle').execute();
  expect(compactions.length).toBeGreaterThan(1);

  const { messages, cycleCount } = await loadWindow(db, ada.id);
  expect(cycleCount).toBe(30);
  expect(words(messages[0])).toMatch(/^\[EARLIER CYCLES/);
  expect(words(messages[0])).toMatch(/^cycles? 1\b/m);
  expect(JSON.stringify(messages.at(-1))).toContain('answered question 30');
  expect(await db.selectFrom('consciousness_messages').select('seq').execute()).toHaveLength(60);

  // As it stood before the first compaction, and right after it.
  const first = compactions[0]!.after_cycle;
  expect((await loadWindow(db, ada.id, { atCycle: first - 1 })).messages).toHaveLength((first - 1) * 2);
  expect(words((await loadWindow(db, ada.id, { atCycle: first })).messages[0])).toMatch(/^\[EARLIER CYCLES/);

  const runIds: string[] = [];
  for await (const execution of client.workflow.list({ query: `WorkflowId = "${handle.workflowId}"` }))
    runIds.push(execution.runId);
  await eventually('each compaction continued as new', 5_000, async () => {
    runIds.length = 0;
    for await (const execution of client.workflow.list({ query: `WorkflowId = "${handle.workflowId}"` }))
      runIds.push(execution.runId);
    return runIds.length === compactions.length + 1;
  });
});

test('a thousand signals across continue-as-new lose nothing and repeat nothing', async () => {
  const model = scriptedModel();
  model.doStream = () => Promise.resolve({ stream: streamOf(reply({ text: 'Noted.' })) });
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const { db, client, config } = world.runtime;
  const ada = await world.agent('Ada', { settings: { gatherMs: 0 } });
  const ids = Array.from({ length: 1_000 }, () => newId());
  const input: AgentInput = {
    agentId: ada.id,
    orgId: world.orgId,
    name: 'Ada',
    rollover: { signals: 50, events: 100_000 },
  };
  await client.workflow.start(AGENT_WORKFLOW, {
    workflowId: agentWorkflowId(ada.id),
    taskQueue: config.taskQueue,
    args: [input],
  });
  const handle = client.workflow.getHandle(agentWorkflowId(ada.id));

  const queue = [...ids];
  const sender = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      await db
        .insertInto('inbox_events')
        .values({
          id,
          org_id: world.orgId,
          agent_id: ada.id,
          type: 'service',
          payload: JSON.stringify({ id }),
          dispatched_at: new Date(),
        })
        .execute();
      await handle.signal(inboxSignal, { events: [{ id, type: 'service' }] });
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  await world.settled(ada, 30_000);

  const rows = await db.selectFrom('consciousness_messages').select('message').where('kind', '=', 'inbox').execute();
  const heard = rows.flatMap((row) =>
    [...JSON.stringify(row.message).matchAll(/\{\\+"id\\+":\\+"([0-9a-f-]{36})/g)].map((match) => match[1]!),
  );
  expect(heard).toHaveLength(1_000);
  expect(new Set(heard)).toEqual(new Set(ids));
  const runIds: string[] = [];
  for await (const execution of client.workflow.list({ query: `WorkflowId = "${handle.workflowId}"` }))
    runIds.push(execution.runId);
  expect(runIds.length).toBeGreaterThan(2);
}, 60_000);
