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

type Row = Parameters<typeof toMemory>[0] & { total: number };
