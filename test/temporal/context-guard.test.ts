import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import type { ContextFigures } from '../../src/cycle/context-guard.ts';
import type { ChatMessage, ChatRequest } from '../support/fake-model-server.ts';
import { stepOf } from '../support/greeting-script.ts';
import { openHttpScene, spaceIn, type HttpScene } from '../support/http-scene.ts';
import { say } from '../support/room.ts';
import { reply, scriptedModels, streamOf } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

// What a result keeps when room is needed, and what stands behind it.
const SHORTENED = /… \[\d+ characters of this result are left out\]/;
const PLACEHOLDER = 'some earlier cycles are left out here';

let world: World;

describe('a memory that outgrows the model’s window (AL-23…AL-26, C12, D16)', () => {
  afterEach(() => world.close());

  /** An agent that has lived through cycles of one long tool output each; `look` is one more, in a smaller window. */
  async function past(cycles: number) {
    const facts = { contextWindow: 1_000_000 };
    const model = new MockLanguageModelV4({ doStream: async ({ prompt }) => ({ stream: streamOf(next(prompt)) }) });
    world = await openWorld({ models: scriptedModels({ 'test:default': model }, facts) });
    const ana = await world.human('Ana');
    const ada = await world.agent('Ada', { settings: { maxConsciousnessTokens: 1_000_000, gatherMs: 300 } });
    // Few tools, so that what is said fills the window and not what can be done.
    const { db } = world.runtime;
    await db
      .updateTable('agents')
      .set({ tools: ['enter_space', 'read_messages'] })
      .where('id', '=', ada.id)
      .execute();
    const lobby = await world.space('Lobby', [ana, ada]);
    await Promise.all(Array.from({ length: 8 }, () => world.say(ana, lobby, 'word '.repeat(120))));
    await world.settled(ada);
    const look = async (contextWindow?: number): Promise<void> => {
      facts.contextWindow = contextWindow ?? facts.contextWindow;
      await world.say(ana, lobby, 'look again');
      await world.settled(ada);
    };
    for (let cycle = 1; cycle < cycles; cycle += 1) await look();
    const figures = async (): Promise<ContextFigures> => {
      const run = db.selectFrom('runs').select('context').where('agent_id', '=', ada.id).orderBy('cycle', 'desc');
      return (await run.limit(1).executeTakeFirstOrThrow()).context as unknown as ContextFigures;
    };
    const warnings = () =>
      db.selectFrom('space_events').select('data').where('type', '=', 'agent.warning').orderBy('seq').execute();
    const memory = async () => (await loadWindow(db, ada.id)).messages;
    return { look, figures, warnings, memory, prompts: () => model.doStreamCalls.map((call) => call.prompt) };
  }

  function next(prompt: LanguageModelV4Prompt): LanguageModelV4StreamPart[] {
    const cycle = prompt.findLastIndex((message) => JSON.stringify(message.content).includes('INBOX ('));
    const step = prompt.slice(cycle).filter((message) => message.role === 'assistant').length;
    const spaceId = /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]!;
    const calls = [
      { call: 'enter_space', input: { spaceId }, id: `enter-${prompt.length}` },
      { call: 'read_messages', input: { limit: 8 }, id: `read-${prompt.length}` },
    ];
    const parts = calls[step] === undefined ? reply({ text: 'Looked.' }) : reply(calls[step]!);
    // No count of its own, so that estimates are taken as they are.
    return parts.map((part) =>
      part.type === 'finish'
        ? { ...part, usage: { ...part.usage, inputTokens: { ...part.usage.inputTokens, total: undefined } } }
        : part,
    );
  }

  const results = (prompt: LanguageModelV4Prompt): string[] =>
    prompt.filter((message) => message.role === 'tool').map((message) => JSON.stringify(message.content));

  test('is warned of from 70 % on, with the figures, and its oldest tool outputs are shortened first', async () => {
    const { look, figures, warnings, memory, prompts } = await past(3);
    const size = ({ system, tools, messages }: ContextFigures): number => system + tools + messages;
    const earlier = size(await figures());
    await look();
    const needed = size(await figures());
    const growth = needed - earlier; // by one cycle
    expect(await warnings()).toEqual([]);

    await look(Math.ceil((needed + growth) / 0.75));
    expect(results(prompts().at(-1)!).filter((result) => SHORTENED.test(result))).toEqual([]);
    const [warning] = await warnings();
    expect(warning?.data).toMatchObject({
      kind: 'context',
      detail: expect.stringMatching(/^7\d % of the context window/),
    });
    const { context } = warning!.data as { context: ContextFigures };
    expect(size(context)).toBe(Math.round(context.share * context.window));

    const stored = await memory();
    await look(needed + 2 * growth);
    const shown = results(prompts().at(-1)!);
    const cut = shown.map((result) => SHORTENED.test(result));
    expect(cut[0], 'the oldest').toBe(true);
    expect(cut.slice(-2), 'those of this cycle').toEqual([false, false]);
    expect(cut, 'oldest first, without a gap').toEqual(cut.toSorted((a, b) => Number(b) - Number(a)));
    expect(JSON.stringify(prompts().at(-1))).not.toContain(PLACEHOLDER);
    expect((await figures()).share).toBeLessThanOrEqual(0.85);
    expect((await memory()).slice(0, stored.length), 'what is stored').toEqual(stored);
    expect(await warnings(), 'one for each cycle').toHaveLength(2);
  });

  test('loses middle cycles behind one placeholder, with every call beside its result', async () => {
    const { look, figures, memory, prompts } = await past(6);
    const before = await figures();
    const stored = await memory();
    // Room for the first cycle, this one, and two or three more with shortened outputs.
    await look(Math.ceil((before.system + before.tools + 3_400) / 0.85));
    const prompt = prompts().at(-1)!;
    const text = JSON.stringify(prompt);
    expect(text.split(PLACEHOLDER)).toHaveLength(2);
    expect(text).toContain('INBOX (8 events)'); // the first cycle
    expect(text).toContain('look again');
    for (const [index, message] of prompt.entries()) {
      const calls = message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [];
      const following = prompt[index + 1];
      const answered =
        following?.role === 'tool' ? following.content.filter((part) => part.type === 'tool-result') : [];
      if (calls.length > 0)
        expect(answered.map((part) => part.toolCallId)).toEqual(calls.map((part) => part.toolCallId));
      if (message.role === 'tool') expect(prompt[index - 1]?.role).toBe('assistant');
    }
    expect((await memory()).slice(0, stored.length), 'what is stored').toEqual(stored);
    expect(await figures()).toMatchObject({ system: before.system, tools: before.tools });
  });
});

describe('over HTTP', () => {
  let scene: HttpScene;
  beforeAll(async () => {
    scene = await openHttpScene();
  });
  afterAll(() => scene.close());

  const reasoningIn = ({ messages }: ChatRequest): string[] =>
    messages.flatMap((message: ChatMessage & { reasoning_content?: string }) => message.reasoning_content ?? []);

  test('reasoning goes back to the model inside its cycle, and not in later ones (AL-31, D17)', async () => {
    scene.model.play((request) => {
      const step = stepOf(request);
      if (step === 0)
        return {
          say: [{ reasoning: 'First I go in.' }, { call: 'enter_space', input: { spaceId: spaceIn(request) } }],
        };
      if (step === 1) return { say: [{ reasoning: 'Now I speak.' }, { call: 'send_message', input: { text: 'Hi.' } }] };
      return { say: [{ reasoning: 'That is it.' }, { text: 'Done.' }] };
    });
    const room = await scene.room();
    for (const text of ['one', 'two']) {
      await say(scene.url, room, text);
      await scene.settled(room);
    }
    const cycle = [[], ['First I go in.'], ['First I go in.', 'Now I speak.']];
    expect(scene.requests(room).map((request) => reasoningIn(request.body))).toEqual([...cycle, ...cycle]);
    expect(JSON.stringify((await loadWindow(scene.db, room.agentId)).messages), 'what is stored').toContain(
      'Now I speak.',
    );
  });

  test('effort and thinking reach an unknown server only when the owner asked for them (AL-13, AL-14)', async () => {
    scene.model.play(() => ({ say: [{ text: 'Done.' }] }));
    const effortFor = async (settings: object): Promise<unknown> => {
      const room = await scene.room(settings);
      await say(scene.url, room, 'Hello Ada');
      await scene.settled(room);
      return (scene.requests(room)[0]!.body as ChatRequest & { reasoning_effort?: string }).reasoning_effort;
    };
    expect(await effortFor({})).toBeUndefined();
    expect(await effortFor({ effort: 'low' })).toBe('low');
    expect(await effortFor({ effort: 'medium', thinking: 'adaptive' })).toBe('medium');
    expect(await effortFor({ thinking: 'off' })).toBe('none');
  });
});
