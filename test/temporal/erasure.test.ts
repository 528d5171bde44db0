import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';

import { agentWorkflowId, statusQuery } from '../../workflows/contract.ts';
import { eraseAgent } from '../../src/agents/erase-agent.ts';
import type { Db } from '../../src/db/open-database.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { eventually, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const CANARY = 'xq7canary';
const HUMAN_CANARY = 'zk4budgie';

test('erasure leaves no text of the agent in any column of any table', async () => {
  const model = scriptedModel(
    (prompt) => reply({ call: 'enter_space', input: { spaceId: spaceIn(prompt) } }),
    reply({ text: `${CANARY} thinks` }, { call: 'send_message', input: { text: `${CANARY} says hello` } }),
    reply(
      {
        call: 'set_memories',
        input: {
          entries: [
            { key: `${CANARY}1`, value: CANARY },
            { key: `${CANARY}2`, value: CANARY, scope: 'organisation' },
          ],
        },
      },
      { call: 'set_goals', input: { goals: [{ id: CANARY, description: CANARY, status: CANARY }] } },
      { call: 'set_plans', input: { plans: [{ id: CANARY, instruction: CANARY, runAfter: '1d' }] } },
    ),
    reply({ call: 'delete_memories', input: { keys: [`${CANARY}1`] } }),
    reply({ text: `${CANARY} is done.` }),
    reply({ call: 'skip', input: { reason: `${CANARY} skips` } }),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const { db } = world.runtime;
  const ana = await world.human('Ana');
  const ada = await world.agent(`Ada ${CANARY}`, {
    instructions: `You are ${CANARY}.`,
    settings: { continuationPrompt: CANARY, visibleTools: ['set_memories', 'set_goals'] },
  });
  const lobby = await world.space('Lobby', [ana, ada]);
  await world.say(ana, lobby, `Hello ${HUMAN_CANARY}`);
  await world.settled(ada);
  await world.say(ana, lobby, `Never mind ${HUMAN_CANARY}`);
  await world.settled(ada);
  await db
    .insertInto('idempotency_keys')
    .values({
      org_id: world.orgId,
      caller: 'key',
      key: 'made',
      request_hash: Buffer.from('x'),
      status: 201,
      answer: JSON.stringify({ text: JSON.stringify({ id: ada.id, instructions: CANARY }) }),
    })
    .execute();

  const before = await holders(db, CANARY);
  // The scene must have put it everywhere for its absence to mean something.
  expect(before).toEqual(
    expect.arrayContaining([
      'agents.instructions',
      'agents.settings',
      'consciousness_messages.message',
      'entities.name',
      'goal_changes.description',
      'goals.description',
      'idempotency_keys.answer',
      'memories.value',
      'memory_changes.value',
      'messages.sender_name',
      'messages.text',
      'plans.instruction',
      'prompts.text',
      'run_steps.generation',
      'skips.reason',
      'space_events.data',
      'tool_calls.input',
    ]),
  );

  await db.transaction().execute((trx) => eraseAgent(trx, world.orgId, ada.id));

  expect(await holders(db, CANARY)).toEqual([]);
  expect((await holders(db, HUMAN_CANARY)).toSorted()).toEqual(['messages.text', 'space_events.data']);
  expect(await db.selectFrom('entities').select('name').where('id', '=', ada.id).execute()).toEqual([
    { name: 'erased agent' },
  ]);
  expect(await world.messages(lobby)).toEqual([
    { sender_name: 'Ana', text: `Hello ${HUMAN_CANARY}`, seq: 1 },
    { sender_name: 'erased agent', text: '[erased]', seq: 2 },
    { sender_name: 'Ana', text: `Never mind ${HUMAN_CANARY}`, seq: 3 },
  ]);
  const log = await db.selectFrom('space_events').select(['type', 'data']).where('space_id', '=', lobby).execute();
  expect(log.filter((event) => event.type === 'message.created').map((event) => event.data)).toMatchObject([
    { senderName: 'Ana' },
    { senderId: ada.id, senderName: 'erased agent', text: '[erased]', seq: 2 },
    { senderName: 'Ana' },
  ]);
});

// Fails as long as the live writer lets an erased agent begin a new draft; then make it an ordinary test.
test('a worker that thinks on for an erased agent leaves nothing of it', async () => {
  const reached = Promise.withResolvers<void>();
  const erased = Promise.withResolvers<void>();
  const model = scriptedModel(
    (prompt) => reply({ call: 'enter_space', input: { spaceId: spaceIn(prompt) } }),
    async () => {
      reached.resolve();
      await erased.promise;
      return reply({ text: `${CANARY} thinks` }, { call: 'send_message', input: { text: `${CANARY} says hello` } });
    },
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const { db } = world.runtime;
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);
  await world.say(ana, lobby, 'Hello');
  await reached.promise;
  await db.transaction().execute((trx) => eraseAgent(trx, world.orgId, ada.id));
  erased.resolve();
  await eventually('the workflow has heard that its agent is gone', 10_000, async () => {
    const state = await world.runtime.client.workflow.getHandle(agentWorkflowId(ada.id)).query(statusQuery);
    return state.status === 'asleep';
  });
  await world.runtime.writer.drained();
  expect(await holders(db, CANARY)).toEqual([]);
  expect(await world.messages(lobby)).toHaveLength(1);
});

function spaceIn(prompt: unknown): string {
  return /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]!;
}

/** The columns in which a text stands, over every table there is: a new table is looked at without being named here. */
async function holders(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and data_type in ('text', 'json', 'jsonb', 'character varying', 'ARRAY', 'tsvector')
    order by table_name, column_name`.execute(db);
  const found: string[] = [];
  for (const { table_name, column_name } of rows) {
    const holding = await sql`
      select 1 from ${sql.table(table_name)} where ${sql.ref(column_name)}::text ilike ${`%${text}%`} limit 1`.execute(
      db,
    );
    if (holding.rows.length > 0) found.push(`${table_name}.${column_name}`);
  }
  return found;
}
