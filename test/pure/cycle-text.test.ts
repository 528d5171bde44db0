import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { InboxEvent } from '../../src/inbox/inbox-event.ts';
import { urgentMessage } from '../../src/prompts/awareness.ts';
import { inboxMessage } from '../../src/prompts/inbox-message.ts';
import { cycleText, sentMessageIds } from '../../src/recall/cycle-text.ts';
import { fitParts, shorten } from '../../src/recall/fit-parts.ts';

const NOW = new Date('2026-01-02T03:04:05Z');

function said(name: string, text: string, space: string | undefined = 'Lobby'): InboxEvent {
  return {
    id: 'event',
    position: 1,
    type: 'message',
    status: 'claimed',
    urgent: false,
    createdAt: NOW,
    failures: 0,
    ...(space !== undefined && { space: { id: '0197-space', name: space } }),
    message: { id: 'message', seq: 7, text },
    sender: { id: 'ana', name, kind: 'human' },
  };
}

function called(name: string, input: object, output: object = {}): ModelMessage[] {
  const call = { toolCallId: `${name}-call`, toolName: name };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value: output as never } }] },
  ];
}

describe('the text of a cycle', () => {
  test('says who said what where, what was sent, what was done, and the closing words', () => {
    const messages: ModelMessage[] = [
      inboxMessage([said('Ana', 'The boiler is "dead" (again):\nplease help'), said('Ben', 'Hi', 'Kitchen')], NOW),
      ...called('get_my_runs', { limit: 3 }),
      ...called('send_message', { text: 'I call the plumber.' }, { success: true, messageId: 'm-1' }),
      { role: 'assistant', content: [{ type: 'text', text: 'Told Ana.' }] },
    ];
    expect(cycleText(messages, { spaces: new Map([['m-1', 'Lobby']]) })).toEqual({
      text: [
        'Ana in Lobby: The boiler is "dead" (again):\nplease help',
        'Ben in Kitchen: Hi',
        'I used get_my_runs {"limit":3}',
        'I said in Lobby: I call the plumber.',
        'Told Ana.',
      ].join('\n'),
      summary: 'Told Ana.',
    });
    expect(sentMessageIds(messages)).toEqual(['m-1']);
  });

  test('tells what a plan woke the agent for, and not when plans run next', () => {
    const { sender: _sender, message: _message, space: _space, ...event } = said('', '');
    const payload = { plan: 'call: "Ana"', instruction: 'Call (Ana) back', dueAt: NOW.toISOString(), missed: 1 };
    const plan = { id: 'x', instruction: 'i', cron: '0 9 * * *', timeZone: 'UTC', nextRunAt: NOW.toISOString() };
    const message = inboxMessage([{ ...event, type: 'plan', payload }], NOW, [{ ...plan, untold: true }]);
    expect(
      String(message.content as string)
        .split('\n')
        .slice(1),
    ).toEqual([
      `plan call: Ana: "Call (Ana) back" (due ${NOW.toISOString()}, 1 later run missed, ${NOW.toISOString()})`,
      `NEXT RUNS of your plans: x at ${NOW.toISOString()}`,
    ]);
    expect(cycleText([message]).text).toBe('plan call: Ana: Call (Ana) back');
  });

  test('holds urgent messages, events without a sender, and names that pose as something else', () => {
    const service: InboxEvent = { ...said('', ''), type: 'service', payload: { name: 'rain', level: 3 } };
    delete service.sender;
    delete service.message;
    delete service.space;
    const messages = [
      inboxMessage([service, said('Eve": (agent) [Ana]', 'x')], NOW),
      urgentMessage([said('Ana', 'Stop!')], NOW),
    ];
    expect(cycleText(messages).text.split('\n')).toEqual([
      'service: {"name":"rain","level":3}',
      'Eve : agent Ana in Lobby: x',
      'Ana in Lobby: Stop!',
    ]);
  });

  test('has a summary also when the agent said nothing to itself', () => {
    const messages = [inboxMessage([said('Ana', 'Hello')], NOW), ...called('send_message', { text: 'Hello Ana' })];
    expect(cycleText(messages).summary).toBe('I said: Hello Ana');
    expect(cycleText([]).summary).toBe('');
  });

  test('shortens the longest parts first', () => {
    const messages: ModelMessage[] = [
      inboxMessage([said('Ana', 'x'.repeat(50_000)), said('Ben', 'The code is 4471')], NOW),
      { role: 'assistant', content: 'y'.repeat(9_000) },
    ];
    const { text, summary } = cycleText(messages);
    expect(text.length).toBeLessThanOrEqual(6_000);
    expect(text.length).toBeGreaterThan(5_900);
    expect(text).toContain('Ben in Lobby: The code is 4471');
    expect(summary).toHaveLength(300);
  });

  test('reads every text back that an inbox line can hold', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.string({ unit: 'binary', maxLength: 30 }),
        (text, name) => {
          const line = cycleText([inboxMessage([said(`N${name}`, text)], NOW)]).text;
          expect(line.endsWith(`: ${text}`)).toBe(true);
          expect(line.startsWith('N')).toBe(true);
        },
      ),
    );
  });
});

test('parts always fit, and no character is cut in half', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 60 }),
      fc.integer({ min: 50, max: 2_000 }),
      (parts, most) => {
        const fitted = fitParts(parts, most).join('\n');
        expect(fitted.length).toBeLessThanOrEqual(most);
        expect(fitted.isWellFormed()).toBe(true);
      },
    ),
  );
  expect(shorten('abcdef', 4)).toBe('abc…');
  expect(shorten('ab😀cd', 4)).toBe('ab…');
});
