import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const look = reply({ call: 'get_my_runs', input: {} });
const done = reply({ text: 'Done.' });

type Speak = (text: string, options?: { urgent?: boolean }) => Promise<unknown>;

/** A cycle of several steps; before step n the given things are said. */
async function scene(options: {
  settings: object;
  before: Record<number, (speak: Speak) => Promise<unknown>>;
  replies: ReturnType<typeof reply>[];
}) {
  const speaker: { speak?: Speak } = {};
  // What is said while step n - 1 is generated waits when step n begins.
  const model = scriptedModel(
    ...options.replies.map((parts, step) => async () => {
      await options.before[step + 1]?.(speaker.speak!);
      return parts;
    }),
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', { settings: options.settings });
  const lobby = await world.space('Lobby', [ana, ada]);
  speaker.speak = (text, urgent) => world.say(ana, lobby, text, urgent);
  await world.say(ana, lobby, 'start');
  await world.settled(ada);
  return { ana, ada, lobby, calls: model.doStreamCalls, prompts: model.doStreamCalls.map((call) => call.prompt) };
}

const lastUser = (prompt: LanguageModelV4Prompt | undefined): string =>
  JSON.stringify(prompt?.findLast((message) => message.role === 'user'));
const count = (prompt: LanguageModelV4Prompt | undefined, text: string): number =>
  JSON.stringify(prompt).split(text).length - 1;

test('a preview shows the true total and the first ten, once, and never reaches consciousness (TC-12…TC-18, D2, P10)', async () => {
  const { ada, prompts } = await scene({
    settings: { awareness: 'preview' },
    before: {
      1: async (speak) => {
        for (let index = 1; index <= 12; index += 1) await speak(`question ${index}`);
      },
    },
    replies: [look, look, done, done],
  });
  expect(count(prompts[0], 'INBOX PREVIEW')).toBe(0);
  for (const step of [1, 2]) {
    expect(count(prompts[step], 'INBOX PREVIEW')).toBe(1);
    expect(lastUser(prompts[step])).toContain('12 new events waiting');
    expect(lastUser(prompts[step])).toContain('question 10');
    expect(lastUser(prompts[step])).not.toContain('question 11');
    expect(lastUser(prompts[step])).toContain('and 2 more');
  }
  // The second cycle gets all twelve in full, in order.
  expect(lastUser(prompts[3])).toContain('INBOX (12 events)');
  const { messages, cycleCount } = await loadWindow(world.runtime.db, ada.id);
  expect(cycleCount).toBe(2);
  expect(JSON.stringify(messages)).not.toContain('PREVIEW');
});

test('an urgent event is told in full at the next step, stored with the cycle, and not delivered again (TC-21…TC-23, D3)', async () => {
  const { ada, prompts } = await scene({
    settings: { awareness: 'combined' },
    before: { 1: (speak) => speak('stop the launch', { urgent: true }) },
    replies: [look, look, done],
  });
  expect(prompts).toHaveLength(3);
  expect(count(prompts[1], '[URGENT] 1 event')).toBe(1);
  expect(count(prompts[1], 'INBOX PREVIEW')).toBe(0);
  expect(count(prompts[2], '[URGENT]')).toBe(1);
  const { messages, cycleCount } = await loadWindow(world.runtime.db, ada.id);
  expect(cycleCount).toBe(1);
  expect(messages.map((message) => message.role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  const events = await world.runtime.db
    .selectFrom('inbox_events')
    .select(['status', 'joined_step'])
    .orderBy('position')
    .execute();
  expect(events).toEqual([
    { status: 'done', joined_step: null },
    { status: 'done', joined_step: 1 },
  ]);
});

test('an agent can name its own urgent words and people (TC-22)', async () => {
  const { prompts } = await scene({
    settings: { awareness: 'urgent', urgentRules: { words: ['FIRE'] } },
    before: { 1: (speak) => speak('there is a fire in the kitchen'), 2: (speak) => speak('an ordinary remark') },
    replies: [look, look, done, done],
  });
  expect(count(prompts[1], '[URGENT]')).toBe(1);
  expect(count(prompts[2], 'ordinary remark')).toBe(0);
  expect(lastUser(prompts[3])).toContain('ordinary remark');
});

test('with awareness off an event waits for the next cycle, urgent or not (TC-15)', async () => {
  const { prompts } = await scene({
    settings: { awareness: 'none' },
    before: { 1: (speak) => speak('now!', { urgent: true }) },
    replies: [look, done, done],
  });
  expect(count(prompts[1], 'now!')).toBe(0);
  expect(lastUser(prompts[2])).toContain('now!');
});

test('peek_inbox takes what waits into the running cycle (P11)', async () => {
  const { ada, prompts } = await scene({
    settings: { awareness: 'preview' },
    before: { 1: (speak) => speak('by the way') },
    replies: [look, reply({ call: 'peek_inbox', input: {} }), done],
  });
  expect(prompts).toHaveLength(3);
  expect(count(prompts[2], 'by the way')).toBe(1);
  expect(count(prompts[2], 'INBOX PREVIEW')).toBe(0);
  expect((await loadWindow(world.runtime.db, ada.id)).cycleCount).toBe(1);
});

test('an event that arrives in the very last step is handled by the next cycle, at once', async () => {
  const { prompts } = await scene({
    settings: {},
    before: { 1: (speak) => speak('one more thing') },
    replies: [done, done],
  });
  expect(lastUser(prompts[1])).toContain('one more thing');
});

test('phase gates open only what the phase allows, and skip is always there (TC-24…TC-26, C7)', async () => {
  const looks = [1, 2, 3, 4, 5, 6, 7].map((limit) => reply({ call: 'get_my_runs', input: { limit } }));
  const { calls } = await scene({ settings: { phaseGates: true }, before: {}, replies: [...looks, done] });
  const offered = calls.map((call) => (call.tools ?? []).map((tool) => tool.name).toSorted());
  expect(offered[0]).toEqual(['enter_space', 'get_my_runs', 'read_messages', 'skip']);
  expect(offered[1]).toEqual(offered[0]);
  expect(offered[2]).toContain('send_message');
  expect(offered[6]).toEqual(offered[2]);
  expect(offered[7]).toEqual(['enter_space', 'send_message', 'set_goals', 'set_memories', 'skip']);
  expect(calls.map((call) => call.toolChoice?.type)).toEqual([
    'required',
    'required',
    ...Array<string>(6).fill('auto'),
  ]);
});
