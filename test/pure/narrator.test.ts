import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createNarrator, type Narrator } from '../../src/stream/narrator.ts';
import type { SpaceEvent } from '../../src/stream/space-event.ts';
import { reply } from '../support/scripted-model.ts';
import { split } from '../support/split.ts';

type Told = SpaceEvent & { spaceId: string };

function tell(activeSpaceId: string | undefined, options: { visible?: string[]; attempt?: number } = {}) {
  const told: Told[] = [];
  const narrator = createNarrator({
    agentId: 'ada',
    runId: 'run',
    attempt: options.attempt ?? 1,
    activeSpaceId,
    resolveSpace: (input) =>
      input.includes('forbidden') ? undefined : (JSON.parse(input) as { spaceId: string }).spaceId,
    isVisible: (name) => options.visible?.includes(name) === true,
    emit: (spaceId, event) => told.push({ ...event, spaceId }),
  });
  const hear = (parts: LanguageModelV4StreamPart[]): void => parts.forEach((part) => narrator.hear(part));
  return { told, narrator, hear };
}

/** What a reader who follows the deltas of a call has in the end; fails when an offset does not fit. */
function readBack(told: Told[], narrator: Narrator, callId: string): string {
  const draftId = narrator.draftOf(callId)?.id;
  let text = '';
  for (const event of told) {
    if (event.type !== 'message.delta' || event.data.draftId !== draftId) continue;
    expect(event.data.offset).toBe(text.length);
    text += event.data.text;
  }
  return text;
}

test('a reader of the deltas has the whole message, whatever the pieces and whenever they are flushed (TC-10, AL-15)', () => {
  const lengths = fc.infiniteStream(fc.nat(40));
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
      lengths,
      fc.infiniteStream(fc.boolean()),
      (text, cuts, flushes) => {
        const { told, narrator, hear } = tell('lobby');
        hear([{ type: 'tool-input-start', id: 'a', toolName: 'send_message' }]);
        for (const delta of split(JSON.stringify({ text }), cuts)) {
          hear([{ type: 'tool-input-delta', id: 'a', delta }]);
          if (flushes.next().value === true) narrator.flush();
        }
        hear([{ type: 'tool-input-end', id: 'a' }]);
        expect(readBack(told, narrator, 'a')).toBe(text);
        expect(told.every((event) => event.type !== 'message.delta' || event.data.text.isWellFormed())).toBe(true);
      },
    ),
  );
});

test('a draft is announced before its first word, with its sender and attempt', () => {
  const { told, narrator, hear } = tell('lobby', { attempt: 3 });
  hear(reply({ text: 'I greet her.' }, { call: 'send_message', input: { text: 'Hello' }, id: 'a' }));
  const draftId = narrator.draftOf('a')?.id;
  expect(told).toEqual([
    { spaceId: 'lobby', type: 'message.started', data: { draftId, attempt: 3, senderId: 'ada' } },
    { spaceId: 'lobby', type: 'message.delta', data: { draftId, attempt: 3, offset: 0, text: 'Hello' } },
  ]);
  expect(narrator.draftOf('a')).toEqual({ id: draftId, spaceId: 'lobby', attempt: 3 });
  expect(narrator.hasDrafts()).toBe(true);
});

test('two messages of one reply are two drafts', () => {
  const { told, narrator, hear } = tell('lobby');
  hear(
    reply(
      { call: 'send_message', input: { text: 'One' }, id: 'a' },
      { call: 'send_message', input: { text: 'Two' }, id: 'b' },
    ),
  );
  expect(narrator.draftOf('a')?.id).not.toBe(narrator.draftOf('b')?.id);
  expect([readBack(told, narrator, 'a'), readBack(told, narrator, 'b')]).toEqual(['One', 'Two']);
});

test('an enter_space earlier in the same reply moves the draft to the space entered', () => {
  const { told, hear } = tell('lobby');
  hear(
    reply(
      { call: 'enter_space', input: { spaceId: 'attic' }, id: 'a' },
      { call: 'send_message', input: { text: 'Hi' }, id: 'b' },
    ),
  );
  expect(told.map((event) => event.spaceId)).toEqual(['attic', 'attic']);
});

test('a provider that reports calls only at the end of its reply changes nothing about that', () => {
  const { told, hear } = tell('lobby');
  const parts = reply(
    { call: 'enter_space', input: { spaceId: 'attic' }, id: 'a' },
    { call: 'send_message', input: { text: 'Hi' }, id: 'b' },
    { call: 'leave_space', input: {}, id: 'c' },
    { call: 'send_message', input: { text: 'Nobody hears this' }, id: 'd' },
  );
  const late = (part: LanguageModelV4StreamPart): boolean =>
    part.type === 'tool-call' || part.type === 'tool-input-end';
  hear([...parts.filter((part) => !late(part)), ...parts.filter(late)]);
  expect(told.map((event) => [event.type, event.spaceId])).toEqual([
    ['message.started', 'attic'],
    ['message.delta', 'attic'],
  ]);
});

test('while it is not known where the agent goes, its words are shown to nobody', () => {
  const { told, hear } = tell('lobby');
  hear([
    { type: 'tool-input-start', id: 'a', toolName: 'enter_space' },
    { type: 'tool-input-delta', id: 'a', delta: '{"spaceId":"at' },
    { type: 'tool-input-start', id: 'b', toolName: 'send_message' },
    { type: 'tool-input-delta', id: 'b', delta: '{"text":"a secret"}' },
    { type: 'tool-input-delta', id: 'a', delta: 'tic"}' },
  ]);
  expect(told).toEqual([]);
});

test('an enter_space that will be refused leaves the draft where the agent is', () => {
  const { told, hear } = tell('lobby');
  hear(
    reply(
      { call: 'enter_space', input: { spaceId: 'forbidden' }, id: 'a' },
      { call: 'send_message', input: { text: 'Hi' }, id: 'b' },
    ),
  );
  expect(told.map((event) => event.spaceId)).toEqual(['lobby', 'lobby']);
});

test('an agent that is nowhere, or has just left, has no draft', () => {
  const nowhere = tell(undefined);
  nowhere.hear(reply({ call: 'send_message', input: { text: 'Hi' }, id: 'a' }));
  const left = tell('lobby');
  left.hear(
    reply({ call: 'leave_space', input: {}, id: 'a' }, { call: 'send_message', input: { text: 'Hi' }, id: 'b' }),
  );
  expect([nowhere.told, left.told]).toEqual([[], []]);
  expect(nowhere.narrator.hasDrafts()).toBe(false);
});

test('the agent’s own words are told to nobody, and neither are tools that people may not watch (TC-09, C11)', () => {
  const { told, hear } = tell('lobby');
  hear(reply({ text: 'A private thought.' }, { call: 'read_messages', input: { limit: 5 } }));
  expect(told).toEqual([]);
});

test('a tool that people may watch is shown with the input it is given (TC-34, AL-16)', () => {
  const { told, hear } = tell('lobby', { visible: ['read_messages'] });
  hear(reply({ call: 'read_messages', input: { limit: 5 }, id: 'a' }));
  const moment = { agentId: 'ada', runId: 'run', callId: 'a', name: 'read_messages' };
  expect(told[0]).toEqual({ spaceId: 'lobby', type: 'tool.started', data: moment });
  const input = told.slice(1).map((event) => (event.type === 'tool.input.delta' ? event.data.text : '?'));
  expect(input.join('')).toBe('{"limit":5}');
});
