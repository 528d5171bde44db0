import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { estimateTokens } from '../../src/consciousness/estimate-tokens.ts';
import { contextFigures, fitContext } from '../../src/cycle/context-guard.ts';

const LONG = 'x'.repeat(3_500); // about a thousand tokens

const user = (content: string): ModelMessage => ({ role: 'user', content });
const said = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });

/** A call and its result. */
function exchange(id: string, output: string): ModelMessage[] {
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'look', output: { type: 'text', value: output } }],
    },
  ];
}

const cycle = (number: number, output = LONG): ModelMessage[] => [
  user(`INBOX of cycle ${number}`),
  ...exchange(`call-${number}`, output),
  said(`Cycle ${number} done.`),
];

const total = (messages: ModelMessage[]): number => messages.reduce((sum, one) => sum + estimateTokens(one), 0);
const outputs = (messages: ModelMessage[]): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [JSON.stringify(message.content)] : []));

/** The window in which these messages take exactly this share. */
const windowFor = (messages: ModelMessage[], share: number): number => Math.ceil(total(messages) / share);

/** Every call has its result right behind it, and no result stands alone. */
function arePaired(messages: ModelMessage[]): boolean {
  return messages.every((message, index) => {
    const next = messages[index + 1];
    const before = messages[index - 1];
    if (message.role === 'tool') return callIds(before) === resultIds(message);
    return callIds(message) === '' || callIds(message) === resultIds(next);
  });
}
const callIds = (message: ModelMessage | undefined): string =>
  message?.role === 'assistant' && typeof message.content !== 'string'
    ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])).join()
    : '';
const resultIds = (message: ModelMessage | undefined): string =>
  message?.role === 'tool'
    ? message.content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])).join()
    : '';

describe('what a request takes of the window', () => {
  test('is told apart as system, tools and messages', () => {
    const messages = cycle(1);
    const figures = contextFigures({ system: 'a'.repeat(350), tools: 'b'.repeat(700), messages, window: 10_000 });
    expect(figures).toEqual({
      system: 100,
      tools: 200,
      messages: total(messages),
      window: 10_000,
      share: (300 + total(messages)) / 10_000,
    });
  });
});

describe('a request that fits', () => {
  test('is sent as it is, up to 85 % of the window', () => {
    const messages = [...cycle(1), user('INBOX of cycle 2')];
    expect(fitContext(messages, { fixed: 0, window: windowFor(messages, 0.84), cycleFrom: 4 })).toBe(messages);
    expect(fitContext(messages, { fixed: 0, window: windowFor(messages, 0.86), cycleFrom: 4 })).not.toBe(messages);
  });

  test('leaves room for the instructions and the tools', () => {
    const messages = [...cycle(1), user('INBOX of cycle 2')];
    const room = { window: windowFor(messages, 0.5), cycleFrom: 4 };
    expect(fitContext(messages, { fixed: 0, ...room })).toBe(messages);
    expect(fitContext(messages, { fixed: total(messages), ...room })).not.toBe(messages);
  });
});

describe('a request that does not fit', () => {
  const past = [1, 2, 3, 4].flatMap((number) => cycle(number));
  const messages = [...past, user('INBOX of cycle 5')];

  test('has its oldest tool outputs shortened first, and no more of them than needed', () => {
    const fitting = fitContext(messages, { fixed: 0, window: windowFor(messages, 1.1), cycleFrom: past.length });
    expect(fitting).toHaveLength(messages.length);
    const [first, second, third, fourth] = outputs(fitting);
    expect(first).toMatch(/… \[3102 characters of this result are left out\]/);
    expect(second).toContain('are left out');
    expect([third, fourth]).toEqual(outputs(messages).slice(2));
    expect(arePaired(fitting)).toBe(true);
  });

  test('then loses middle cycles behind one placeholder; the first and the newest stay', () => {
    const small = [1, 2, 3, 4, 5, 6].flatMap((number) => cycle(number, 'y'.repeat(700)));
    const inbox = user('INBOX of cycle 7');
    const window = windowFor([...small, inbox], 1.4);
    const fitting = fitContext([...small, inbox], { fixed: 0, window, cycleFrom: small.length });
    const told = fitting.flatMap((message) => (message.role === 'user' ? [message.content] : []));
    expect(told[0]).toBe('INBOX of cycle 1');
    expect(told[1]).toMatch(/^\[some earlier cycles are left out/);
    expect(told.slice(2)).toEqual(['INBOX of cycle 5', 'INBOX of cycle 6', 'INBOX of cycle 7']);
    expect(total(fitting)).toBeLessThanOrEqual(window * 0.85);
    expect(arePaired(fitting)).toBe(true);
  });

  test('never loses the running cycle, not even when something urgent was told in its middle', () => {
    const running = [
      user('INBOX of cycle 5'),
      ...exchange('now-1', 'short'),
      user('[URGENT] 1 event'),
      ...exchange('now-2', 'short'),
      user('INBOX PREVIEW'),
    ];
    const fitting = fitContext([...past, ...running], { fixed: 0, window: 200, cycleFrom: past.length });
    expect(fitting.slice(-running.length)).toEqual(running);
    expect(fitting.filter((message) => JSON.stringify(message).includes('are left out here'))).toHaveLength(1);
  });

  test('has no placeholder when there is no past to leave out', () => {
    const running = [user('z'.repeat(4_000)), ...exchange('now', 'short')];
    expect(fitContext(running, { fixed: 0, window: 100, cycleFrom: 0 })).toEqual(running);
  });

  test('keeps every call with its result, whatever the sizes and the window', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 50, max: 8_000 }), (lengths, window) => {
        const before = lengths.flatMap((length, index) => cycle(index, 'w'.repeat(length)));
        const all = [...before, user('INBOX'), ...exchange('now', 'result')];
        const stored = structuredClone(all);
        const fitting = fitContext(all, { fixed: 0, window, cycleFrom: before.length });
        expect(arePaired(fitting)).toBe(true);
        expect(fitting.at(-1)).toEqual(all.at(-1));
        expect(all, 'what was given').toEqual(stored);
      }),
    );
  });
});
