import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, type ModelMessage } from 'ai';
import { expect, test } from 'vitest';

import { markInstructions, markMessages } from '../../src/models/cache-marks.ts';

const messages: ModelMessage[] = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));

test('Anthropic gets a mark on the instructions, on the end of the window and on the end of the request (AL-27)', () => {
  expect(markInstructions('anthropic:claude-opus-5', 'Be.')).toMatchObject({
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  });
  const marked = markMessages('anthropic:claude-opus-5', messages, 2);
  expect(marked.map((message) => message.providerOptions !== undefined)).toEqual([false, true, true]);
});

test('other providers get their requests without marks', () => {
  expect(markInstructions('openai:gpt-5', 'Be.')).toBe('Be.');
  expect(markMessages('openai:gpt-5', messages, 2)).toBe(messages);
});

type Block = { type: string; text?: string; cache_control?: { type: string } };
type AnthropicRequest = { system: Block[]; messages: { role: string; content: Block[] }[] };

/** What Anthropic's own provider code would send; nobody answers. */
async function requestOf(model: string, asked: ModelMessage[], windowLength: number): Promise<AnthropicRequest> {
  let body = '';
  const provider = createAnthropic({
    apiKey: 'none',
    fetch: (_url, init) => {
      body = String(init?.body as string);
      return Promise.resolve(new Response('{}', { status: 400 }));
    },
  });
  await generateText({
    model: provider(model.replace('anthropic:', '')),
    instructions: markInstructions(model, 'Be.'),
    messages: markMessages(model, asked, windowLength),
    maxRetries: 0,
  }).catch(() => undefined);
  return JSON.parse(body) as AnthropicRequest;
}

test('the marks are in the request itself, also behind a tool result; short instructions are cached with what follows (AL-27, AL-29)', async () => {
  const call = { toolCallId: 'c1', toolName: 'look' };
  const { system, messages: sent } = await requestOf(
    'anthropic:claude-opus-5',
    [
      { role: 'user', content: 'INBOX of an earlier cycle' },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: 'INBOX of this one' },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'found' } }] },
    ],
    2,
  );
  const marked = (block: Block | undefined): boolean => block?.cache_control?.type === 'ephemeral';
  expect(system.map(marked)).toEqual([true]);
  // Providers ignore a mark on a prefix that is too short for them; the end of the window is always marked too.
  expect(sent.map(({ content }) => marked(content.at(-1)))).toEqual([false, true, false, false, true]);
});
