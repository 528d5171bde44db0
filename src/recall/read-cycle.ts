import type { Db, Trx } from '../db/open-database.ts';
import { cycleText, sentMessageIds } from './cycle-text.ts';
import type { Scope } from './found.ts';
import { spacesOfMessages } from './write-cycle-text.ts';

// Five times what search keeps of a cycle, and still only part of any model's window.
const LONGEST = 30_000;

/** One cycle as it was, in words; undefined when there was no such cycle. */
export async function readCycle(
  db: Db | Trx,
  { orgId, agentId, cycle }: Scope & { cycle: number },
): Promise<{ cycle: number; date: string; text: string } | undefined> {
  const rows = await db
    .selectFrom('consciousness_messages')
    .select(['message', 'created_at'])
    .where('agent_id', '=', agentId)
    .where('org_id', '=', orgId)
    .where('cycle', '=', cycle)
    .where('kind', '<>', 'summary')
    .orderBy('seq')
    .execute();
  const messages = rows.map((row) => row.message);
  if (rows.length === 0) return undefined;
  const spaces = await spacesOfMessages(db, sentMessageIds(messages));
  return {
    cycle,
    date: rows[0]!.created_at.toISOString(),
    text: cycleText(messages, { spaces, longest: LONGEST }).text,
  };
}
