import type { ModelMessage } from 'ai';

import { estimateTokens } from './estimate-tokens.ts';
import { shorten } from './shorten.ts';
import { groupOldest, layer, summarise, summaryTokens, type SummaryEntry } from './summary.ts';

export type WindowRow = { seq: number; cycle: number; date: string; message: ModelMessage };

export type Compacted = {
  entries: SummaryEntry[];
  /** The first row still given in full or shortened; everything before it is in the entries. */
  windowFromSeq: number;
  shortened: Map<number, ModelMessage>;
  tokens: number;
};

// When recent cycles alone are too much, fewer stay, and leave this share of the limit to the next ones.
const COMFORT = 0.8;
// Long tool outputs of recent cycles give way for this share. A window that the next ordinary cycle overflows would be
// compacted after every cycle, and each time the provider's prompt cache is lost: 90 compactions in 100 cycles of 9 %
// of the limit each, 18 with this share, 30 with 0.8.
const ROOMY = 0.6;
const SUMMARY_SHARE = 0.25;
// The layered strategy: cycles 11–50 keep a line of their own, older ones share lines.
const LAYERED_LINES = 40;
const LAYERED_GROUP = 10;

/**
 * Makes a window fit its limit, always, and leaves room for the next cycle where it can: old cycles become their own
 * last words, then long tool outputs of recent ones are shortened. Where that is not enough, fewer cycles stay, then
 * their texts are cut. Whole cycles only, so a call never loses its result.
 */
export function compactWindow(input: {
  entries: SummaryEntry[];
  rows: WindowRow[];
  limit: number;
  minRecentCycles: number;
  strategy: 'self-summary' | 'layered' | 'semantic';
  nextSeq: number;
}): Compacted {
  const { limit } = input;
  const cycles = [...Map.groupBy(input.rows, (row) => row.cycle)].map(([cycle, rows]) => ({ cycle, rows }));
  const whole = new Map(
    cycles.map(({ cycle, rows }) => [
      cycle,
      summarise(
        cycle,
        rows[0]!.date,
        rows.map((row) => row.message),
      ),
    ]),
  );
  const shortened = new Map<number, ModelMessage>();
  const sizeOf = (row: WindowRow): number => estimateTokens(shortened.get(row.seq) ?? row.message);
  let kept = Math.min(input.minRecentCycles, cycles.length);

  const rowsKept = (): WindowRow[] => (kept === 0 ? [] : cycles.slice(-kept).flatMap((cycle) => cycle.rows));
  const summary = (room: number): SummaryEntry[] => {
    const gone = cycles.slice(0, cycles.length - kept).map(({ cycle }) => whole.get(cycle)!);
    const all = [...input.entries, ...gone];
    const layered = input.strategy === 'layered' ? groupOldest(all, LAYERED_GROUP, LAYERED_LINES) : all;
    return layer(layered, Math.max(0, Math.min(room, Math.floor(limit * SUMMARY_SHARE))));
  };
  const result = (): Compacted => {
    const rows = rowsKept();
    const size = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    const entries = summary(limit - size);
    return {
      entries,
      windowFromSeq: rows[0]?.seq ?? input.nextSeq,
      shortened: new Map(
        rows.flatMap((row) => (shortened.has(row.seq) ? [[row.seq, shortened.get(row.seq)!] as const] : [])),
      ),
      tokens: size + summaryTokens(entries),
    };
  };

  let compacted = result();
  const fits = compacted.tokens <= limit;
  const ordinary = kept === 0 ? 0 : rowsKept().reduce((sum, row) => sum + sizeOf(row), 0) / kept;
  if (compacted.tokens + ordinary <= limit) return compacted;

  const roomy = Math.floor(limit * ROOMY);
  for (const row of rowsKept()) {
    if (compacted.tokens <= roomy) return compacted;
    const smaller = shorten(row.message, { outputs: 400, texts: Number.POSITIVE_INFINITY });
    if (smaller === row.message) continue;
    shortened.set(row.seq, smaller);
    compacted = result();
  }
  if (fits) return compacted;
  const comfort = Math.floor(limit * COMFORT);
  while (kept > 1 && compacted.tokens > comfort) {
    kept -= 1;
    compacted = result();
  }
  for (const length of [4_000, 1_000, 200]) {
    if (compacted.tokens <= comfort) return compacted;
    for (const row of rowsKept()) shortened.set(row.seq, shorten(row.message, { outputs: length, texts: length }));
    compacted = result();
  }
  if (compacted.tokens > limit) {
    kept = 0;
    compacted = result();
  }
  return compacted;
}
