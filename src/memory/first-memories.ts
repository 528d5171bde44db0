import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { toMemory, type Memory } from './memory.ts';

/** The most important memories first, and how many there are in all. */
export type FirstMemories = { first: Memory[]; total: number };

/**
 * As many of an agent's memories as `characters` hold, read in a total order: equal memories give an equal prompt. The
 * rest stays in Postgres, so that a cycle costs the same with ten memories and with a thousand.
 */
export async function firstMemories(
  db: Db | Trx,
  owner: { orgId: string; agentId: string },
  characters: number,
): Promise<FirstMemories> {
  const { rows } = await sql<Row>`
    select * from (
      select id, agent_id, key, value, importance, created_at, updated_at, count(*) over () as total,
        sum(characters) over importance_first - characters as before
      from memories
      where org_id = ${owner.orgId}::uuid and (agent_id = ${owner.agentId}::uuid or agent_id is null)
      window importance_first as (order by importance desc, updated_at desc, key collate "C", id)
    ) as ordered
    where before < ${characters}::integer
    order by importance desc, updated_at desc, key collate "C", id`.execute(db);
  return { first: rows.map(toMemory), total: rows[0]?.total ?? 0 };
}

// The dash, the equals sign, the quotes and the line break.
const AROUND_EACH = 8;

/** Whether an agent has more memories than `characters` hold, and some must be chosen by relevance. */
export async function hasMoreMemories(db: Db, agentId: string, characters: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean | null }>`
    select sum(characters + ${AROUND_EACH}::integer) > ${characters}::integer as more from memories, agents
    where agents.id = ${agentId}::uuid and memories.org_id = agents.org_id
      and (agent_id = agents.id or agent_id is null)`.execute(db);
  return rows[0]?.more ?? false;
}

type Row = Parameters<typeof toMemory>[0] & { total: number };
