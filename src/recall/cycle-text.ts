import type { ModelMessage } from 'ai';

import { closingText } from '../consciousness/closing-text.ts';
import { readInboxLine } from './inbox-line.ts';
import { fitParts, shorten } from './fit-parts.ts';

// About one page. Longer texts blur in one vector, and providers refuse or cut what passes about 8,000 tokens.
const LONGEST_TEXT = 6_000;
const LONGEST_SUMMARY = 300;
const LONGEST_INPUT = 160;

export type CycleText = { text: string; summary: string };

/**
 * What happened in a cycle, in words, for search: who said what, what the agent sent and did, its closing words.
 * `spaces` names the space a sent message went to, by the message's id.
 */
export function cycleText(
  messages: ModelMessage[],
  { spaces = new Map(), longest = LONGEST_TEXT }: { spaces?: Map<string, string>; longest?: number } = {},
): CycleText {
  const results = resultsOf(messages);
  const parts = messages.flatMap((message): string[] => {
    if (message.role === 'user') return textsOf(message.content).flatMap((text) => text.split('\n').flatMap(heard));
    if (message.role !== 'assistant') return [];
    if (typeof message.content === 'string') return spoken(message.content);
    return message.content.flatMap((part): string[] => {
      if (part.type === 'text') return spoken(part.text);
      if (part.type !== 'tool-call') return [];
      return [called(part.toolName, part.input, spaces.get(sentMessageId(results.get(part.toolCallId)) ?? ''))];
    });
  });
  const summary = closingText(messages) ?? parts.at(-1) ?? '';
  return { text: fitParts(parts, longest).join('\n'), summary: shorten(oneLine(summary), LONGEST_SUMMARY) };
}

/** The ids of the messages that a cycle sent. */
export function sentMessageIds(messages: ModelMessage[]): string[] {
  return [...resultsOf(messages).values()].flatMap((output) => sentMessageId(output) ?? []);
}

function heard(line: string): string[] {
  if (line.trim() === '' || /^(INBOX \(|\[URGENT\] |NEXT RUNS )/.test(line)) return [];
  const read = readInboxLine(line);
  if (read === undefined) return [line.trim()];
  return [`${read.sender}${read.space === undefined ? '' : ` in ${read.space}`}: ${read.text}`];
}

function spoken(text: string): string[] {
  return text.trim() === '' ? [] : [text.trim()];
}

function called(name: string, input: unknown, space: string | undefined): string {
  if (name === 'send_message' && isRecord(input) && typeof input['text'] === 'string') {
    return `I said${space === undefined ? '' : ` in ${space}`}: ${input['text']}`;
  }
  const given = JSON.stringify(input ?? {});
  return given === '{}' ? `I used ${name}` : `I used ${name} ${shorten(given, LONGEST_INPUT)}`;
}

function textsOf(content: Extract<ModelMessage, { role: 'user' }>['content']): string[] {
  return typeof content === 'string' ? [content] : content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

function resultsOf(messages: ModelMessage[]): Map<string, unknown> {
  return new Map(
    messages
      .flatMap((message) => (message.role === 'tool' ? message.content : []))
      .flatMap((part): [string, unknown][] =>
        part.type === 'tool-result' && part.output.type === 'json' ? [[part.toolCallId, part.output.value]] : [],
      ),
  );
}

function sentMessageId(output: unknown): string | undefined {
  return isRecord(output) && typeof output['messageId'] === 'string' ? output['messageId'] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
