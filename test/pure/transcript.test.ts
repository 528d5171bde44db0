import { streamText, tool, type ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createCollector, type Generation } from '../../src/cycle/generation.ts';
import { ToolFault } from '../../src/cycle/run-tool.ts';
import { closingText } from '../../src/consciousness/closing-text.ts';
import { answerOpenCalls, stepMessages, type RecordedCall } from '../../src/cycle/transcript.ts';
import { reply, scriptedModel, type Said } from '../support/scripted-model.ts';

const assistant = (...callIds: string[]): ModelMessage => ({
  role: 'assistant',
  content: [
    { type: 'text', text: 'hm' },
    ...callIds.map((toolCallId) => ({ type: 'tool-call' as const, toolCallId, toolName: 'skip', input: {} })),
  ],
});
const results = (...callIds: string[]): ModelMessage => ({
  role: 'tool',
  content: callIds.map((toolCallId) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName: 'skip',
    output: { type: 'text' as const, value: toolCallId },
  })),
});

describe('answering open calls', () => {
  // A cycle: steps of some calls each, of which some have results.
  const step = fc.array(fc.boolean(), { maxLength: 4 });
  const cycle = fc.array(step, { maxLength: 5 }).map((steps) =>
    steps.flatMap((answered, index): ModelMessage[] => {
      const ids = answered.map((_, call) => `${index}-${call}`);
      const done = ids.filter((_, call) => answered[call]);
      return done.length === 0 ? [assistant(...ids)] : [assistant(...ids), results(...done)];
    }),
  );

  test('gives every call exactly one result, in the message right behind it, and keeps what was there', () => {
    fc.assert(
      fc.property(cycle, (messages) => {
        const answered = answerOpenCalls(structuredClone(messages));
        const pairs = answered.map((message, index) => ({ message, behind: answered[index + 1] }));
        for (const { message, behind } of pairs.filter((pair) => pair.message.role === 'assistant')) {
          expect(behind?.role === 'tool' ? idsOf(behind).toSorted() : []).toEqual(idsOf(message));
        }
        const astray = pairs.filter(({ message, behind }) => message.role !== 'assistant' && behind?.role === 'tool');
        expect(astray).toEqual([]);
        const before = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
        const after = answered.flatMap((message) => (message.role === 'tool' ? message.content : []));
        expect(after).toEqual(expect.arrayContaining(before));
      }),
    );
  });

  test('changes nothing where nothing is open, and leaves what the provider itself ran', () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hello' },
      assistant('a'),
      results('a'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'b', toolName: 'search', input: {}, providerExecuted: true }],
      },
      { role: 'assistant', content: 'Done.' },
    ];
    expect(answerOpenCalls(structuredClone(messages))).toEqual(messages);
  });
});

describe('a step told from the journal', () => {
  test.each<[string, Said[]]>([
    ['words alone', [{ text: 'Nothing to do.' }]],
    ['words and calls', [{ text: 'I greet her.' }, { call: 'send', input: { text: 'Hello' } }]],
    [
      'several calls, one of which fails',
      [
        { call: 'send', input: { text: 'Hello' }, id: 'a' },
        { call: 'send', input: { text: 'fail' }, id: 'b' },
      ],
    ],
    ['an empty text before a call', [{ text: '' }, { call: 'send', input: { text: 'Hello' } }]],
    ['a call without input', [{ call: 'look', input: {} }]],
  ])('is what the SDK makes of it: %s', async (_what, said) => {
    const parts = reply(...said);
    expect(stepMessages(heard(parts), recorded(said), 'stopped')).toEqual(await bySdk(parts));
  });

  test('is what the SDK makes of it: reasoning and calls with the provider’s own data', async () => {
    const metadata = { openai: { itemId: 'rs_1' } };
    const said: Said[] = [
      { call: 'send', input: { text: 'Hello' }, id: 'a' },
      { call: 'send', input: { text: 'fail' }, id: 'b' },
    ];
    const [start, ...rest] = reply(...said);
    const parts: ReturnType<typeof reply> = [
      start!,
      { type: 'reasoning-start', id: 'r', providerMetadata: metadata },
      { type: 'reasoning-delta', id: 'r', delta: 'She said hello.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: metadata },
      ...rest.map((part) => (part.type === 'tool-call' ? { ...part, providerMetadata: metadata } : part)),
    ];
    expect(stepMessages(heard(parts), recorded(said), 'stopped')).toEqual(await bySdk(parts));
  });

  test('answers a call that never ran with the reason', () => {
    const messages = stepMessages(
      heard(reply({ call: 'send', input: { text: 'Hello' }, id: 'a' })),
      [],
      'the run was stopped',
    );
    const output = { type: 'error-text', value: 'not carried out: the run was stopped' };
    expect(messages[1]).toEqual({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'send', output }],
    });
  });
});

test('the closing text is the last that the agent said to itself', () => {
  expect(closingText([{ role: 'assistant', content: 'First.' }, assistant('a'), results('a')])).toBe('hm');
  expect(
    closingText([
      { role: 'assistant', content: ' Done. ' },
      { role: 'assistant', content: '  ' },
    ]),
  ).toBe('Done.');
  expect(closingText([{ role: 'user', content: 'Hello' }, results('a')])).toBeUndefined();
});

function idsOf(message: ModelMessage): string[] {
  if (typeof message.content === 'string') return [];
  return message.content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []));
}

function heard(parts: ReturnType<typeof reply>): Generation {
  const collector = createCollector();
  for (const part of parts) collector.add(part);
  return collector.finish()!;
}

/** The rows that our tools leave behind for these calls. */
function recorded(said: Said[]): RecordedCall[] {
  return said.flatMap((part, index) => {
    if (!('call' in part)) return [];
    const failed = 'text' in part.input && part.input.text === 'fail';
    const callId = part.id ?? `call-${index}`;
    return [{ callId, status: failed ? 'failed' : 'done', output: failed ? { error: 'it broke' } : { success: true } }];
  });
}

/** The messages that the SDK's own loop makes of one reply, with tools that end as the rows say. */
async function bySdk(parts: ReturnType<typeof reply>): Promise<ModelMessage[]> {
  const tools = {
    send: tool({
      inputSchema: z.object({ text: z.string() }),
      execute: ({ text }) => {
        if (text === 'fail') throw new ToolFault('it broke');
        return { success: true };
      },
    }),
    look: tool({ inputSchema: z.object({}), execute: () => ({ success: true }) }),
  };
  const result = streamText({ model: scriptedModel(parts), prompt: 'Hello', tools, onError: () => undefined });
  await result.consumeStream();
  return (await result.response).messages;
}
