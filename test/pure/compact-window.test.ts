import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { compactWindow, type WindowRow } from '../../src/consciousness/compact-window.ts';
import { estimateTokens } from '../../src/consciousness/estimate-tokens.ts';
import { summaryMessage, summaryTokens, type SummaryEntry } from '../../src/consciousness/summary.ts';

const LIMIT = 5_000;

const words = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constant('東京都は日本の首都です。'.repeat(80)),
  fc.integer({ min: 0, max: 60_000 }).map((length) => 'x'.repeat(length)),
  fc.constant(''),
);

const step = fc.record({ text: words, output: words, calls: fc.integer({ min: 0, max: 3 }), image: fc.boolean() });
const cycle = fc.record({
  inbox: words,
  steps: fc.array(step, { maxLength: 4 }),
  closing: fc.option(words, { nil: undefined }),
});
type Cycle = typeof cycle extends fc.Arbitrary<infer Value> ? Value : never;

const inputs = fc.record({
  cycles: fc.array(cycle, { minLength: 1, maxLength: 30 }),
  minRecentCycles: fc.integer({ min: 0, max: 12 }),
  strategy: fc.constantFrom('self-summary', 'layered', 'semantic'),
  earlier: fc.integer({ min: 0, max: 120 }),
});

function rowsOf(cycles: Cycle[], first: number): WindowRow[] {
  let seq = 0;
  let call = 0;
  return cycles.flatMap(({ inbox, steps, closing }, index) => {
    const messages: ModelMessage[] = [{ role: 'user', content: `INBOX (1 event): ${inbox}` }];
    for (const one of steps) {
      const ids = Array.from({ length: one.calls }, () => `call-${(call += 1)}`);
      messages.push({
        role: 'assistant',
        content: [
          { type: 'text', text: one.text },
          ...(one.image ? [{ type: 'file' as const, mediaType: 'image/png', data: 'A'.repeat(5_000) }] : []),
          ...ids.map((toolCallId) => ({
            type: 'tool-call' as const,
            toolCallId,
            toolName: 'look',
            input: { q: one.text },
          })),
        ],
      });
      if (ids.length > 0) {
        messages.push({
          role: 'tool',
          content: ids.map((toolCallId) => ({
            type: 'tool-result',
            toolCallId,
            toolName: 'look',
            output: { type: 'json', value: { found: one.output } },
          })),
        });
      }
    }
    if (closing !== undefined) messages.push({ role: 'assistant', content: [{ type: 'text', text: closing }] });
    return messages.map((message) => ({ seq: (seq += 1), cycle: first + index, date: '2026-11-18', message }));
  });
}

function earlierEntries(count: number): SummaryEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    from: index + 1,
    to: index + 1,
    date: '2026-11-01',
    text: `I did thing ${index + 1}.`,
  }));
}

test('whatever the sizes, the window fits its limit and keeps order, pairs and every cycle number (CN-14…CN-24, D10, D13, D16)', () => {
  fc.assert(
    fc.property(inputs, ({ cycles, minRecentCycles, strategy, earlier }) => {
      const rows = rowsOf(cycles, earlier + 1);
      const nextSeq = rows.length + 1;
      const result = compactWindow({
        entries: earlierEntries(earlier),
        rows,
        limit: LIMIT,
        minRecentCycles,
        strategy,
        nextSeq,
      });
      const kept = rows.filter((row) => row.seq >= result.windowFromSeq);
      const messages = kept.map((row) => result.shortened.get(row.seq) ?? row.message);

      const size = summaryTokens(result.entries) + messages.reduce((sum, message) => sum + estimateTokens(message), 0);
      expect(size).toBe(result.tokens);
      expect(size).toBeLessThanOrEqual(LIMIT);

      // Whole cycles: the window starts with an inbox message, and each call has its result right behind it.
      if (messages.length > 0) expect(messages[0]!.role).toBe('user');
      for (const [index, message] of messages.entries())
        expect(resultsOf(messages[index + 1])).toEqual(callsOf(message));

      // Nothing is lost: entries and window together cover every cycle once, in order.
      const covered = result.entries.flatMap((entry) =>
        Array.from({ length: entry.to - entry.from + 1 }, (_, index) => entry.from + index),
      );
      const inWindow = [...new Set(kept.map((row) => row.cycle))];
      expect([...covered, ...inWindow]).toEqual(
        Array.from({ length: earlier + cycles.length }, (_, index) => index + 1),
      );
    }),
    { numRuns: 300 },
  );
});

test('fifty ordinary cycles become forty lines and ten cycles in full (CN-18, CN-22)', () => {
  const cycles = Array.from({ length: 50 }, (_, index): Cycle => ({
    inbox: 'hello '.repeat(100),
    steps: [{ text: '', output: 'fine '.repeat(20), calls: 1, image: false }],
    closing: `Answered question ${index + 1}.`,
  }));
  const rows = rowsOf(cycles, 1);
  const result = compactWindow({
    entries: [],
    rows,
    limit: 8_000,
    minRecentCycles: 10,
    strategy: 'self-summary',
    nextSeq: rows.length + 1,
  });
  expect(result.entries).toHaveLength(40);
  expect(rows.find((row) => row.seq === result.windowFromSeq)!.cycle).toBe(41);
  expect(result.shortened.size).toBe(0);
  const text = JSON.stringify(summaryMessage(result.entries).content);
  expect(text).toContain('[EARLIER CYCLES');
  expect(text).toContain('cycle 7 (2026-11-18): Answered question 7.');
});

test('the layered strategy keeps one line for cycles 11–50 and groups older ones (CN-24)', () => {
  const rows = rowsOf(
    Array.from({ length: 20 }, (): Cycle => ({ inbox: 'y'.repeat(1_500), steps: [], closing: 'Ok.' })),
    101,
  );
  const result = compactWindow({
    entries: earlierEntries(100),
    rows,
    limit: 8_000,
    minRecentCycles: 10,
    strategy: 'layered',
    nextSeq: 99,
  });
  const single = result.entries.filter((entry) => entry.from === entry.to);
  expect(single).toHaveLength(40);
  expect(result.entries.filter((entry) => entry.to - entry.from === 9)).toHaveLength(7);
});

test('a cycle without words is remembered by what it used (D12)', () => {
  const rows = rowsOf(
    [{ inbox: 'x'.repeat(40_000), steps: [{ text: '', output: 'ok', calls: 1, image: false }], closing: undefined }],
    1,
  );
  const result = compactWindow({
    entries: [],
    rows,
    limit: 2_000,
    minRecentCycles: 0,
    strategy: 'self-summary',
    nextSeq: 9,
  });
  expect(result.entries).toEqual([{ from: 1, to: 1, date: '2026-11-18', text: 'no closing words; used look' }]);
});

type Life = { entries: SummaryEntry[]; rows: WindowRow[]; compactions: number };

/** One cycle after the other, compacted whenever the window outgrows its limit, as the workflow does it. */
function liveOn(cycles: Cycle[], options: { limit: number; minRecentCycles: number; strategy: Strategy }): Life {
  const life: Life = { entries: [], rows: [], compactions: 0 };
  for (const row of rowsOf(cycles, 1)) {
    const ended = life.rows.at(-1)?.cycle !== row.cycle;
    if (ended && sizeOf(life) > options.limit) compactLife(life, options, row.seq);
    life.rows.push(row);
  }
  compactLife(life, options, Number.MAX_SAFE_INTEGER);
  return life;
}

type Strategy = 'self-summary' | 'layered' | 'semantic';

function compactLife(
  life: Life,
  options: Omit<Parameters<typeof compactWindow>[0], 'entries' | 'rows' | 'nextSeq'>,
  nextSeq: number,
) {
  const lived = life.rows.at(-1)?.cycle ?? 0;
  if (sizeOf(life) > options.limit) {
    const result = compactWindow({ ...options, entries: life.entries, rows: life.rows, nextSeq });
    life.entries = result.entries;
    life.rows = life.rows
      .filter((row) => row.seq >= result.windowFromSeq)
      .map((row) => ({ ...row, message: result.shortened.get(row.seq) ?? row.message }));
    life.compactions += 1;
  }
  expect(sizeOf(life)).toBeLessThanOrEqual(options.limit);
  const covered = life.entries.flatMap((entry) => range(entry.from, entry.to));
  expect([...covered, ...new Set(life.rows.map((row) => row.cycle))]).toEqual(range(1, lived));
  const messages = life.rows.map((row) => row.message);
  for (const [index, message] of messages.entries()) expect(resultsOf(messages[index + 1])).toEqual(callsOf(message));
}

function sizeOf({ entries, rows }: Life): number {
  return summaryTokens(entries) + rows.reduce((sum, row) => sum + estimateTokens(row.message), 0);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

test(
  'a life of many compactions fits its limit after each, and no cycle ever drops out of it (D10, D13)',
  { timeout: 60_000 },
  () => {
    const life = fc.array(cycle, { minLength: 30, maxLength: 80 });
    fc.assert(
      fc.property(
        life,
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom<Strategy>('self-summary', 'layered', 'semantic'),
        (cycles, minRecentCycles, strategy) => {
          const { compactions } = liveOn(cycles, { limit: LIMIT, minRecentCycles, strategy });
          expect(compactions).toBeGreaterThan(0);
        },
      ),
      { numRuns: 25 },
    );
  },
);

test('ten cycles that nearly fill the window do not make every further cycle a compaction', () => {
  // Each takes 9 to 10 % of the limit, most of it what tools gave back.
  const cycles = Array.from({ length: 100 }, (_, index): Cycle => ({
    inbox: 'a question',
    steps: [{ text: 'I look it up.', output: 'x'.repeat(31_000 + (index % 7) * 500), calls: 1, image: false }],
    closing: `Answered question ${index + 1}.`,
  }));
  const { compactions, rows } = liveOn(cycles, { limit: 100_000, minRecentCycles: 10, strategy: 'self-summary' });
  expect(compactions).toBeLessThanOrEqual(20);
  expect(new Set(rows.map((row) => row.cycle)).size).toBeGreaterThanOrEqual(10);
});

function callsOf(message: ModelMessage): string[] {
  return message.role === 'assistant' && typeof message.content !== 'string'
    ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    : [];
}

function resultsOf(message: ModelMessage | undefined): string[] {
  return message?.role === 'tool'
    ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
    : [];
}
