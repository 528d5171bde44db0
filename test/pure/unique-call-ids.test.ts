import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';

import { uniqueCallIds } from '../../src/cycle/unique-call-ids.ts';

const call = (toolCallId: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'send_message',
  input: '{}',
});
const streamed = (id: string): LanguageModelV4StreamPart[] => [
  { type: 'tool-input-start', id, toolName: 'send_message' },
  { type: 'tool-input-delta', id, delta: '{}' },
  { type: 'tool-input-end', id },
  call(id),
];

function idsOf(taken: string[], parts: LanguageModelV4StreamPart[]): string[] {
  const rename = uniqueCallIds(taken);
  return parts.map((part) => {
    const renamed = rename(part);
    if ('toolCallId' in renamed) return renamed.toolCallId;
    return 'id' in renamed && renamed.id !== undefined ? renamed.id : '';
  });
}

test('ids that nobody has used are left alone', () => {
  expect(idsOf(['x'], [...streamed('a'), ...streamed('b')])).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']);
});

test('an id of an earlier step gets a new name, the same for all parts of the call', () => {
  expect(idsOf(['a', 'a-2'], streamed('a'))).toEqual(['a-3', 'a-3', 'a-3', 'a-3']);
});

test('two calls of one reply with one id become two', () => {
  expect(idsOf([], [...streamed('a'), ...streamed('a')]).filter((_, index) => index % 4 === 3)).toEqual(['a', 'a-2']);
});

test('a call that was not streamed before it came, or has no id at all, is named as well', () => {
  expect(idsOf(['a'], [call('a'), call('a'), call(''), call('')])).toEqual(['a-2', 'a-3', 'call', 'call-2']);
});
