import type { ModelMessage } from 'ai';
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
