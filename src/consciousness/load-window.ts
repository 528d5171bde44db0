import type { ModelMessage } from 'ai';
import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import type { WindowRow } from './compact-window.ts';
import { countedAs } from './estimate-tokens.ts';
import { summaryMessage, type SummaryEntry } from './summary.ts';

export const MESSAGE_VERSION = 7;

export type Window = {
  cycleCount: number;
  tokenEstimate: number;
  messages: ModelMessage[];
  calibration: number;
  calibrationModel: string | null;
};

/** What the next cycle would be given, without its instructions; `atCycle`: as it stood right after that cycle. */
export async function loadWindow(db: Db | Trx, agentId: string, options: { atCycle?: number } = {}): Promise<Window> {
  const head = await db
    .selectFrom('consciousness')
    .select(['cycle_count', 'token_estimate', 'calibration', 'calibration_model'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  const cycleCount = options.atCycle ?? head?.cycle_count ?? 0;
  if (cycleCount > (head?.cycle_count ?? 0)) {
    throw new AppError(
      'invalid-request',
      `agent ${agentId} has lived through ${head?.cycle_count ?? 0} cycles, not ${cycleCount}`,
    );
  }
  if (head === undefined)
    return { cycleCount: 0, tokenEstimate: 0, messages: [], calibration: 1, calibrationModel: null };
  const { entries, rows, tokens } = await loadRows(db, agentId, cycleCount);
  const summary = entries.length === 0 ? [] : [summaryMessage(entries)];
  return {
    cycleCount,
    tokenEstimate: Math.round(tokens * head.calibration),
    messages: [...summary, ...rows.map((row) => row.message)],
    calibration: head.calibration,
    calibrationModel: head.calibration_model,
  };
}

export type LoadedRows = {
  entries: SummaryEntry[];
  rows: (WindowRow & { tokens: number })[];
  shortened: Record<string, ModelMessage>;
  tokens: number;
};

/** The rows behind a window: the latest compaction up to that cycle, and every message since. */
export async function loadRows(db: Db | Trx, agentId: string, upToCycle: number): Promise<LoadedRows> {
  const compaction = await db
    .selectFrom('compactions')
    .select(['window_from_seq', 'entries', 'shortened', 'tokens', 'after_cycle'])
    .where('agent_id', '=', agentId)
    .where('after_cycle', '<=', upToCycle)
    .orderBy('after_cycle', 'desc')
    .limit(1)
    .executeTakeFirst();
  const rows = await db
    .selectFrom('consciousness_messages')
    .select(['seq', 'cycle', 'message', 'message_version', 'tokens'])
    // Cut in Postgres: a thousand timestamps read and written again here held up a full window by 1 ms.
    .select(sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`.as('date'))
    .where('agent_id', '=', agentId)
    .where('seq', '>=', compaction?.window_from_seq ?? 1)
    // By seq, though cycle would do: asked for both, Postgres may take the index of cycles and read the whole past.
    .where('seq', '<=', (eb) =>
      eb
        .selectFrom('consciousness_messages')
        .select('seq')
        .where('agent_id', '=', agentId)
        .where('cycle', '<=', upToCycle)
        .orderBy('cycle', 'desc')
        .orderBy('seq', 'desc')
        .limit(1),
    )
    .orderBy('seq')
    .execute();
  const unknown = rows.find((row) => row.message_version !== MESSAGE_VERSION);
  if (unknown !== undefined) {
    throw new AppError(
      'conflict',
      `message ${unknown.seq} of agent ${agentId} has version ${unknown.message_version}; this release reads version ${MESSAGE_VERSION}`,
    );
  }
  const shortened = compaction?.shortened ?? {};
  const since = rows
    .filter((row) => row.cycle > (compaction?.after_cycle ?? 0))
    .reduce((sum, row) => sum + row.tokens, 0);
  return {
    entries: compaction?.entries ?? [],
    shortened,
    tokens: (compaction?.tokens ?? 0) + since,
    rows: rows.map((row) => ({
      seq: row.seq,
      cycle: row.cycle,
      date: row.date,
      message: shortened[String(row.seq)] ?? countedAs(row.message, row.tokens),
      tokens: row.tokens,
    })),
  };
}
