import { APICallError } from 'ai';
import { afterEach, expect, test } from 'vitest';

import { usageOf } from '../../src/cycle/usage-of.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const PRICE = { input: 1, output: 2 };
const trouble = (statusCode: number) => () => {
  throw new APICallError({ message: 'busy', statusCode, url: 'http://x', requestBodyValues: {} });
};

test('a cycle with trouble and a skip after it are counted, step by step, and their money adds up (P19)', async () => {
  const model = scriptedModel(
    trouble(429),
    trouble(529),
    reply({ call: 'get_my_runs', input: { limit: 1 } }),
    reply({ call: 'enter_space', input: { spaceId: 'no-such-space' }, id: 'wrong' }),
    reply({ text: 'Done.' }),
    reply({ call: 'skip', input: { reason: 'not for me' } }),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }, { price: PRICE }), retryMs: 1 });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);
  await world.say(ana, lobby, 'Hello Ada');
  await world.settled(ada);
  await world.say(ana, lobby, 'Hello Ben');
  await world.settled(ada);

  const { metrics, db } = world.runtime;
  const lines = () => metrics.render().split('\n');
  // The last outcome is counted when the activity returns, a moment after its commit.
  await expect.poll(lines, { timeout: 5_000 }).toContain('wakeful_think_cycles_total{outcome="skipped"} 1');
  expect(lines()).toEqual(
    expect.arrayContaining([
      'wakeful_think_cycles_total{outcome="committed"} 1',
      'wakeful_model_calls_total{outcome="answered"} 4',
      'wakeful_model_calls_total{outcome="rate-limited"} 1',
      'wakeful_model_calls_total{outcome="overloaded"} 1',
      'wakeful_model_retries_total 2',
      'wakeful_tool_calls_total{tool="get_my_runs",outcome="done"} 1',
      'wakeful_tool_calls_total{tool="enter_space",outcome="failed"} 1',
      'wakeful_model_first_part_seconds_count 4',
      'wakeful_think_cycle_seconds_count 2',
    ]),
  );

  const { items, total } = await usageOf(db, { orgId: world.orgId, agentId: ada.id, by: 'model' }, () => PRICE);
  expect(items).toHaveLength(1);
  // 10 input and 5 output tokens a step: $0.00002.
  expect(total).toMatchObject({ cycles: 1, skips: 1, steps: 4, inputTokens: 40, outputTokens: 20, priced: true });
  expect(total.costUsd).toBeCloseTo(0.00008, 10);
});

test('an attempt that was taken over is counted as a fenced write', async () => {
  let taken = false;
  const model = scriptedModel(
    async () => {
      await world.runtime.db
        .updateTable('runs')
        .set((eb) => ({ fence: eb('fence', '+', 1) }))
        .execute();
      taken = true;
      return reply({ text: 'too late' });
    },
    reply({ text: 'Done.' }),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  await world.say(ana, await world.space('Lobby', [ana, ada]), 'Hello');
  await world.settled(ada);
  expect(taken).toBe(true);
  expect(world.runtime.metrics.render()).toContain('wakeful_fenced_writes_total 1\n');
});
