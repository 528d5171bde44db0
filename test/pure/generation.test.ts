import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { callsOf, createCollector, stepUsage, toStream, type Generation } from '../../src/cycle/generation.ts';
import { reply, USAGE } from '../support/scripted-model.ts';

async function collect(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<Generation | undefined> {
  const collector = createCollector();
  for await (const part of stream) collector.add(part);
  return collector.finish();
}

const text = fc.string({ unit: 'grapheme' });
const metadata = fc.dictionary(
  fc.constantFrom('openai', 'anthropic'),
  fc.dictionary(fc.string({ minLength: 1 }), fc.string()),
);
const words = fc.record(
  { type: fc.constantFrom('text' as const, 'reasoning' as const), text, providerMetadata: metadata },
  { requiredKeys: ['type', 'text'] },
);
const call = fc.record(
  {
    type: fc.constant('tool-call' as const),
    toolCallId: fc.uuid(),
    toolName: fc.constantFrom('send_message', 'skip'),
    input: fc.jsonValue().map((value) => JSON.stringify(value)),
    providerMetadata: metadata,
  },
  { requiredKeys: ['type', 'toolCallId', 'toolName', 'input'] },
);
const response = fc.record(
  {
    id: fc.uuid(),
    modelId: fc.string(),
    timestamp: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  },
  { requiredKeys: [] },
);
const generation: fc.Arbitrary<Generation> = fc.record(
  {
    content: fc.array(fc.oneof(words, call)),
    finishReason: fc.constantFrom(
      { unified: 'stop' as const, raw: 'stop' },
      { unified: 'tool-calls' as const, raw: 'tool_calls' },
    ),
    usage: fc.constant(USAGE),
    response,
    providerMetadata: metadata,
  },
  { requiredKeys: ['content', 'finishReason', 'usage'] },
);

test('a generation said again and heard again is the same generation', async () => {
  await fc.assert(
    fc.asyncProperty(generation, async (said) => {
      const stored = JSON.parse(JSON.stringify(said)) as Generation;
      expect(await collect(toStream(stored))).toEqual(stored);
    }),
  );
});

test('a stream that ends without a finish gives nothing', () => {
  const parts = reply({ text: 'Hello' }, { call: 'send_message', input: { text: 'Hi' } });
  for (let length = 0; length < parts.length; length += 1) {
    const collector = createCollector();
    for (const part of parts.slice(0, length)) collector.add(part);
    expect(collector.finish()).toBeUndefined();
  }
});

test('interleaved texts are joined by their ids and stand in the order in which they began', () => {
  const collector = createCollector();
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'reasoning-start', id: '0' },
    { type: 'text-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'hm' },
    { type: 'text-delta', id: '0', delta: 'Hel' },
    { type: 'reasoning-end', id: '0', providerMetadata: { anthropic: { signature: 'abc' } } },
    { type: 'text-delta', id: '0', delta: 'lo' },
    { type: 'text-end', id: '0' },
    { type: 'finish', usage: USAGE, finishReason: { unified: 'stop', raw: 'stop' } },
  ];
  for (const part of parts) collector.add(part);
  expect(collector.finish()?.content).toEqual([
    { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 'abc' } } },
    { type: 'text', text: 'Hello' },
  ]);
});

test('what a model says can always be stored', () => {
  const collector = createCollector();
  for (const part of reply({ text: 'a\u0000b\uD800' })) collector.add(part);
  expect(collector.finish()?.content).toEqual([{ type: 'text', text: 'a\uFFFDb\uFFFD' }]);
});

test('calls are those we run, in the order of the model, with what could be read of their input', () => {
  const content: Generation['content'] = [
    { type: 'tool-call', toolCallId: 'a', toolName: 'skip', input: '' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'web_search', input: '{}', providerExecuted: true },
    { type: 'tool-call', toolCallId: 'c', toolName: 'send_message', input: '{"text":"Hi"}' },
    { type: 'tool-call', toolCallId: 'd', toolName: 'send_message', input: '{"text":' },
  ];
  expect(callsOf({ content, finishReason: { unified: 'tool-calls', raw: undefined }, usage: USAGE })).toEqual([
    { callId: 'a', name: 'skip', input: {} },
    { callId: 'c', name: 'send_message', input: { text: 'Hi' } },
    { callId: 'd', name: 'send_message', input: '{"text":' },
  ]);
});

test('usage that a provider does not report counts as nothing', () => {
  const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const usage = stepUsage({
    inputTokens: nothing,
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  });
  expect(usage).toEqual({
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
  });
});
