import { sql } from 'kysely';

import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { getAgent, noSuchAgent, type Agent } from './agent.ts';
import { createAgent } from './create-agent.ts';

/**
 * A new agent with another one's past up to a cycle: consciousness, archive, memories and goals as they stood then, and
 * the configuration of today. It is a copy to the last row: what either does later, the other never knows. It is a
 * member of no space yet.
 */
export async function forkAgent(
  trx: Trx,
  orgId: string,
  originId: string,
  input: { name: string; atCycle?: number | undefined },
): Promise<Agent> {
  const lived = await cyclesLived(trx, originId);
  const origin = await trx
    .selectFrom('agents')
    .innerJoin('entities', 'entities.id', 'agents.id')
    .select(['instructions', 'model', 'tools', 'settings'])
    .where('agents.id', '=', originId)
    .where('agents.org_id', '=', orgId)
    .where('entities.deleted_at', 'is', null)
    .forShare(['agents', 'entities'])
    .executeTakeFirst();
  if (origin === undefined) throw noSuchAgent(originId);
  const atCycle = input.atCycle ?? lived;
  if (atCycle > lived) {
    const message = `agent ${originId} has lived through ${lived} cycles, not ${atCycle}`;
    throw new AppError('invalid-request', message, {
      fields: [{ path: 'atCycle', message: `must be at most ${lived}` }],
    });
  }
  const fork = await createAgent(trx, orgId, { ...origin, name: input.name });
  await trx
    .updateTable('agents')
    .set({ forked_from: originId, forked_at_cycle: atCycle })
    .where('id', '=', fork.id)
    .execute();
  const copy = { from: originId, to: fork.id, atCycle };
  await copyConsciousness(trx, copy);
  await copyMemories(trx, copy);
  await copyGoals(trx, copy);
  return getAgent(trx, orgId, fork.id);
}

/**
 * The share lock holds back the commit of a cycle and a compaction, which would change the past while it is copied.
 * The head row comes first, as in every transaction that locks more of an agent than that.
 */
async function cyclesLived(trx: Trx, agentId: string): Promise<number> {
  const head = await trx
    .selectFrom('consciousness')
    .select('cycle_count')
    .where('agent_id', '=', agentId)
    .forShare()
    .executeTakeFirst();
  return head?.cycle_count ?? 0;
}

type Copy = { from: string; to: string; atCycle: number };

async function copyConsciousness(trx: Trx, { from, to, atCycle }: Copy): Promise<void> {
  await sql`
    insert into consciousness_messages (agent_id, seq, org_id, cycle, kind, message, message_version, tokens, created_at)
    select ${to}::uuid, seq, org_id, cycle, kind, message, message_version, tokens, created_at
    from consciousness_messages where agent_id = ${from}::uuid and cycle <= ${atCycle}::integer`.execute(trx);
  await sql`
    insert into compactions
      (agent_id, after_cycle, org_id, window_from_seq, entries, shortened, tokens, before_tokens, created_at)
    select ${to}::uuid, after_cycle, org_id, window_from_seq, entries, shortened, tokens, before_tokens, created_at
    from compactions where agent_id = ${from}::uuid and after_cycle <= ${atCycle}::integer`.execute(trx);
  await sql`
    insert into cycle_texts (agent_id, cycle, org_id, text, summary, embedding, embedding_model, created_at)
    select ${to}::uuid, cycle, org_id, text, summary, embedding, embedding_model, created_at
    from cycle_texts where agent_id = ${from}::uuid and cycle <= ${atCycle}::integer`.execute(trx);
  // The window as it stood: what the last compaction left, and every message since.
  await sql`
    insert into consciousness (agent_id, org_id, cycle_count, next_seq, window_from_seq, token_estimate, last_cycle_at,
      calibration, calibration_model)
    select ${to}::uuid, head.org_id, ${atCycle}::integer, coalesce(told.last_seq, 0) + 1,
      coalesce(compacted.window_from_seq, 1), coalesce(compacted.tokens, 0) + coalesce(told.tokens, 0), told.at,
      head.calibration, head.calibration_model
    from consciousness as head
    left join lateral (
      select after_cycle, window_from_seq, tokens from compactions
      where agent_id = ${to}::uuid order by after_cycle desc limit 1
    ) as compacted on true
    cross join lateral (
      select max(seq) as last_seq, max(created_at) as at,
        sum(tokens) filter (where cycle > coalesce(compacted.after_cycle, 0)) as tokens
      from consciousness_messages where agent_id = ${to}::uuid
    ) as told
    where head.agent_id = ${from}::uuid`.execute(trx);
}

/** With their history: a fork can be forked at any cycle it remembers. */
async function copyMemories(trx: Trx, { from, to, atCycle }: Copy): Promise<void> {
  await sql`
    insert into memory_changes (org_id, agent_id, cycle, key, value, importance, created_at)
    select org_id, ${to}::uuid, cycle, key, value, importance, created_at
    from memory_changes where agent_id = ${from}::uuid and cycle <= ${atCycle}::integer order by seq`.execute(trx);
  const { rows } = await sql<Remembered>`
    select * from (
      select distinct on (key) org_id, key, value, importance, created_at
      from memory_changes where agent_id = ${to}::uuid order by key, seq desc
    ) as newest
    where value is not null order by created_at, key`.execute(trx);
  if (rows.length === 0) return;
  await trx
    .insertInto('memories')
    .values(rows.map((row) => ({ ...row, id: newId(), agent_id: to, updated_at: row.created_at })))
    .execute();
}

type Remembered = { org_id: string; key: string; value: string; importance: number; created_at: Date };

async function copyGoals(trx: Trx, { from, to, atCycle }: Copy): Promise<void> {
  await sql`
    insert into goal_changes (org_id, agent_id, cycle, goal_id, description, status, created_at)
    select org_id, ${to}::uuid, cycle, goal_id, description, status, created_at
    from goal_changes where agent_id = ${from}::uuid and cycle <= ${atCycle}::integer order by seq`.execute(trx);
  await sql`
    insert into goals (agent_id, id, org_id, description, status, created_at, updated_at)
    select ${to}::uuid, goal_id, org_id, description, status, born, created_at
    from (
      select distinct on (goal_id) *, min(created_at) over (partition by goal_id) as born
      from goal_changes where agent_id = ${to}::uuid order by goal_id, seq desc
    ) as newest
    where description is not null`.execute(trx);
}
