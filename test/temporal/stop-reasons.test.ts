import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const enter = (prompt: unknown) =>
  reply({ call: 'enter_space', input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! } });
const look = (limit: number) => reply({ call: 'get_my_runs', input: { limit } });
const done = reply({ text: 'Done.' });

async function runOf(options: {
  settings?: object;
  replies: Parameters<typeof scriptedModel>;
  price?: { input: number; output: number };
}) {
  const model = scriptedModel(...options.replies);
  world = await openWorld({
    models: scriptedModels({ 'test:default': model }, options.price === undefined ? {} : { price: options.price }),
    retryMs: 1,
  });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', { settings: options.settings ?? {} });
  const lobby = await world.space('Lobby', [ana, ada]);
  await world.say(ana, lobby, 'start');
  await world.settled(ada);
  const run = await world.runtime.db.selectFrom('runs').selectAll().executeTakeFirst();
  return { run, ada, ana, lobby, model };
}

test('text without calls is the natural end (TC-31)', async () => {
  expect((await runOf({ replies: [done] })).run).toMatchObject({ status: 'committed', stop_reason: 'natural-end' });
});

test('the step limit ends a cycle (TC-28)', async () => {
  const { run } = await runOf({ settings: { maxSteps: 2 }, replies: [look(1), look(2)] });
  expect(run).toMatchObject({ stop_reason: 'step-limit' });
});

test('the token budget counts new tokens, not the context once per step (TC-29, D6)', async () => {
  const big = (total: number, output: number, parts: ReturnType<typeof reply>) =>
    parts.map((part) =>
      part.type === 'finish'
        ? {
            ...part,
            usage: {
              inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: output, text: output, reasoning: 0 },
            },
          }
        : part,
    );
  const { run, model } = await runOf({
    settings: { cycleTokenBudget: 50_000 },
    replies: [
      big(40_000, 100, look(1)),
      big(41_000, 100, look(2)),
      big(42_000, 100, look(3)),
      big(95_000, 100, look(4)),
      done,
    ],
  });
  expect(model.doStreamCalls).toHaveLength(4);
  expect(run).toMatchObject({ stop_reason: 'token-budget' });
});

test('when asked, a cycle ends once every event is answered (TC-30)', async () => {
  const { run } = await runOf({
    settings: { stopWhenAllAnswered: true },
    replies: [enter, reply({ call: 'send_message', input: { text: 'Hi.' } })],
  });
  expect(run).toMatchObject({ stop_reason: 'all-answered' });
});

test('the same call again and again ends the cycle', async () => {
  const { run, model } = await runOf({ replies: [look(1), look(1), look(1), look(1)] });
  expect(run).toMatchObject({ stop_reason: 'repeat-guard' });
  expect(model.doStreamCalls).toHaveLength(3);
});

test('a cycle that has spent its money ends, and a day that has none left begins no cycle (P23)', async () => {
  // 10 input and 5 output tokens a step: $0.000015 at one dollar a million.
  const settings = { budget: { cycleUsd: 0.00002, dayUsd: 0.00003 } };
  const { run, ana, lobby, ada, model } = await runOf({
    settings,
    price: { input: 1, output: 1 },
    replies: [look(1), look(2), done],
  });
  expect(run).toMatchObject({ stop_reason: 'money-budget', cost_usd: 0.00003 });
  expect(model.doStreamCalls).toHaveLength(2);
  await world.say(ana, lobby, 'again');
  await world.settled(ada);
  expect(model.doStreamCalls).toHaveLength(2);
  const dead = await world.runtime.db.selectFrom('inbox_events').select('error').where('status', '=', 'dead').execute();
  expect(dead).toEqual([{ error: 'the day budget of $0.00003 is spent ($0.0000)' }]);
  const warnings = await world.runtime.db
    .selectFrom('space_events')
    .select('data')
    .where('type', '=', 'agent.warning')
    .execute();
  expect(warnings).toHaveLength(0);
});

test('a skip beside other calls, or later, gets a result and the cycle stays valid for good (D7)', async () => {
  const { run, ana, lobby, ada, model } = await runOf({
    replies: [
      enter,
      reply(
        { call: 'send_message', input: { text: 'Hi.' } },
        { call: 'skip', input: { reason: 'too late' }, id: 'late' },
      ),
      done,
    ],
  });
  expect(run).toMatchObject({ status: 'committed', stop_reason: 'skip-ignored' });
  await world.say(ana, lobby, 'again');
  await world.settled(ada);
  expect(model.doStreamCalls).toHaveLength(3);
  const { messages, cycleCount } = await loadWindow(world.runtime.db, ada.id);
  expect(cycleCount).toBe(2);
  expect(JSON.stringify(messages)).toContain('not carried out: skip counts only');
  expect(await world.runtime.db.selectFrom('skips').selectAll().execute()).toEqual([]);
});

test('an empty reply is a recorded cycle without a message', async () => {
  const { run, ada } = await runOf({ replies: [reply()] });
  expect(run).toMatchObject({ status: 'committed', stop_reason: 'empty-reply' });
  expect((await loadWindow(world.runtime.db, ada.id)).messages.map((message) => message.role)).toEqual([
    'user',
    'assistant',
  ]);
});

test('a reply cut by its length is carried on with the continuation prompt, at most as often as the model allows (AL-05…AL-08)', async () => {
  const cut = (text: string) =>
    reply({ text }).map((part) =>
      part.type === 'finish' ? { ...part, finishReason: { unified: 'length' as const, raw: 'length' } } : part,
    );
  const { run, ada, model } = await runOf({
    settings: { continuationPrompt: 'Go on.' },
    replies: [cut('one '), cut('two '), reply({ text: 'three' })],
  });
  expect(model.doStreamCalls).toHaveLength(3);
  expect(JSON.stringify(model.doStreamCalls[2]!.prompt)).toContain('Go on.');
  expect(run).toMatchObject({ stop_reason: 'natural-end' });
  expect(JSON.stringify((await loadWindow(world.runtime.db, ada.id)).messages)).toContain('three');
  expect(await world.runtime.db.selectFrom('run_steps').selectAll().execute()).toHaveLength(1);
});

test('without a continuation prompt a cut reply ends the cycle by that name', async () => {
  const cut = reply({ text: 'one' }).map((part) =>
    part.type === 'finish' ? { ...part, finishReason: { unified: 'length' as const, raw: 'length' } } : part,
  );
  expect((await runOf({ replies: [cut] })).run).toMatchObject({ stop_reason: 'length' });
});

test('a cycle that ran out of steps goes on in the next one, at most as often as the model allows (AL-06, AL-07, C6)', async () => {
  const replies = [1, 2, 3, 4, 5, 6].map((limit) => look(limit));
  const model = scriptedModel(...replies);
  world = await openWorld({ models: scriptedModels({ 'test:default': model }, { continuations: 2 }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', { settings: { maxSteps: 2, continuationPrompt: 'Go on with your work.' } });
  const lobby = await world.space('Lobby', [ana, ada]);
  await world.say(ana, lobby, 'a long task');
  await world.settled(ada);
  const runs = await world.runtime.db.selectFrom('runs').select(['cycle', 'stop_reason']).orderBy('cycle').execute();
  expect(runs).toEqual([1, 2, 3].map((cycle) => ({ cycle, stop_reason: 'step-limit' })));
  expect(model.doStreamCalls).toHaveLength(6);
  expect(JSON.stringify(model.doStreamCalls[2]!.prompt.at(-1))).toContain('Go on with your work.');
});
