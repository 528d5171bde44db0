import type { AgentConfig } from '../agents/load-agent.ts';
import type { Db } from '../db/open-database.ts';
import { compactWindow } from './compact-window.ts';
import { loadRows } from './load-window.ts';

export type CompactionFigures = { cycle: number; beforeTokens: number; afterTokens: number; cyclesInFull: number };

/** Writes down what later cycles are given instead; the rows themselves stay, and with them every earlier moment. */
export async function compactAgent(db: Db, agent: AgentConfig): Promise<CompactionFigures> {
  const { maxConsciousnessTokens, minRecentCycles, compaction } = agent.settings;
  return db.transaction().execute(async (trx) => {
    const head = await trx
      .selectFrom('consciousness')
      .select(['cycle_count', 'next_seq', 'calibration'])
      .where('agent_id', '=', agent.id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const { entries, rows, shortened, tokens } = await loadRows(trx, agent.id, head.cycle_count);
    const limit = Math.floor(maxConsciousnessTokens / head.calibration);
    const figures = { cycle: head.cycle_count, beforeTokens: Math.round(tokens * head.calibration) };
    if (tokens <= limit) return { ...figures, afterTokens: figures.beforeTokens, cyclesInFull: countCycles(rows) };

    const compacted = compactWindow({
      entries,
      rows,
      limit,
      minRecentCycles,
      strategy: compaction,
      nextSeq: head.next_seq,
    });
    const kept = rows.filter((row) => row.seq >= compacted.windowFromSeq);
    const earlier = kept.flatMap((row) =>
      shortened[row.seq] === undefined ? [] : [[row.seq, shortened[row.seq]!] as const],
    );
    await trx
      .insertInto('compactions')
      .values({
        agent_id: agent.id,
        after_cycle: head.cycle_count,
        org_id: agent.orgId,
        window_from_seq: compacted.windowFromSeq,
        entries: JSON.stringify(compacted.entries),
        shortened: JSON.stringify(Object.fromEntries([...earlier, ...compacted.shortened])),
        tokens: compacted.tokens,
        before_tokens: tokens,
      })
      .onConflict((conflict) => conflict.doNothing()) // an earlier attempt of this activity has done it
      .execute();
    await trx
      .updateTable('consciousness')
      .set({ token_estimate: compacted.tokens, window_from_seq: compacted.windowFromSeq, updated_at: new Date() })
      .where('agent_id', '=', agent.id)
      .execute();
    return {
      ...figures,
      afterTokens: Math.round(compacted.tokens * head.calibration),
      cyclesInFull: countCycles(kept),
    };
  });
}

function countCycles(rows: { cycle: number }[]): number {
  return new Set(rows.map((row) => row.cycle)).size;
}
