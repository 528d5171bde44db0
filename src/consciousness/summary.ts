import type { ModelMessage } from 'ai';

import { closingText } from './closing-text.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** What is left of one cycle, or of a run of neighbouring cycles, once its details have faded. */
export type SummaryEntry = { from: number; to: number; date: string; text: string };

// One line a cycle; a cycle that talked more than this said the rest in what it sent.
const LINE = 400;
// Newest lines stay one per cycle when older ones are grouped.
const SINGLE_LINES = 40;
const GROUP_SIZES = [10, 100, 1_000, 10_000, Number.POSITIVE_INFINITY];
const GROUP_TEXT = 400;
const SHARE_OF_LINE = 60;
const SHORTER = [160, 80, 40, 20, 0];

/** A cycle in its own last words; one that had none is told by what it did. */
export function summarise(cycle: number, date: string, messages: ModelMessage[]): SummaryEntry {
  const words = closingText(messages) ?? `no closing words; used ${toolNames(messages).join(', ') || 'nothing'}`;
  return { from: cycle, to: cycle, date, text: cut(words.replaceAll(/\s+/g, ' '), LINE) };
}

export function summaryMessage(entries: SummaryEntry[]): ModelMessage {
  const lines = entries.map((entry) => `${name(entry)} (${entry.date}): ${entry.text}`);
  return { role: 'user', content: ['[EARLIER CYCLES — self-summaries]', ...lines].join('\n') };
}

export function summaryTokens(entries: SummaryEntry[]): number {
  return entries.length === 0 ? 0 : estimateTokens(summaryMessage(entries));
}

/** Makes the block fit by layers: the oldest lines become groups, groups become larger, lines become shorter. No cycle drops out of it. */
export function layer(entries: SummaryEntry[], tokens: number, singleLines = SINGLE_LINES): SummaryEntry[] {
  let result = entries;
  for (const size of GROUP_SIZES) {
    if (summaryTokens(result) <= tokens) return result;
    result = groupOldest(result, size, singleLines);
  }
  for (const length of SHORTER) {
    if (summaryTokens(result) <= tokens) return result;
    result = result.map((entry) => ({ ...entry, text: cut(entry.text, length) }));
  }
  return summaryTokens(result) <= tokens ? result : groupAll(result);
}

/** Everything but the newest lines, in groups of so many cycles. */
export function groupOldest(entries: SummaryEntry[], size: number, singleLines: number): SummaryEntry[] {
  const old = entries.slice(0, Math.max(0, entries.length - singleLines));
  const groups = Map.groupBy(old, (entry) => Math.floor((entry.from - 1) / size));
  return [...[...groups.values()].map(joinEntries), ...entries.slice(old.length)];
}

function groupAll(entries: SummaryEntry[]): SummaryEntry[] {
  return [{ ...joinEntries(entries), text: '' }];
}

function joinEntries(entries: SummaryEntry[]): SummaryEntry {
  const [first] = entries as [SummaryEntry];
  if (entries.length === 1) return first;
  const share = Math.max(SHARE_OF_LINE, Math.floor(GROUP_TEXT / entries.length));
  const text = cut(entries.map((entry) => cut(entry.text, share)).join(' · '), GROUP_TEXT);
  return { from: first.from, to: entries.at(-1)!.to, date: first.date, text };
}

function name(entry: SummaryEntry): string {
  return entry.from === entry.to ? `cycle ${entry.from}` : `cycles ${entry.from}–${entry.to}`;
}

function toolNames(messages: ModelMessage[]): string[] {
  const names = messages.flatMap((message) =>
    message.role === 'assistant' && typeof message.content !== 'string'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
      : [],
  );
  return [...new Set(names)];
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}…`;
}
