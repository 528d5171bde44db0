import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { EVERY_CYCLE, toPlace, type Found, type Scope } from './found.ts';

// A question has a dozen words that count; a pasted page would search for half the language.
const MOST_WORDS = 24;

type Row = { cycle: number | null; id: string | null; strength: number };

/**
 * By words: first what has all of them, in the sense of a web search ("phrases", -exclusions); then, when that is too
 * little, what has some, where a rare word counts more than a common one.
 */
export async function searchWords(db: Db | Trx, scope: Scope, query: string, limit: number): Promise<Found[]> {
  const all = await withAllWords(db, scope, query, limit);
  const some = all.length >= limit ? [] : await withSomeWords(db, scope, query, limit);
  const known = new Set(all.map(keyOf));
  return [...all, ...some.filter((row) => !known.has(keyOf(row)))]
    .slice(0, limit)
    .map((row) => ({ place: toPlace(row), strength: row.strength }));
}

async function withAllWords(
  db: Db | Trx,
  { orgId, agentId, before = EVERY_CYCLE }: Scope,
  query: string,
  limit: number,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with asked as (select websearch_to_tsquery('english', ${query}::text) as words)
    select cycle, id, 1 as strength from (
      select cycle, null::uuid as id, ts_rank_cd(tsv, words) as rank, created_at as at
      from cycle_texts, asked
      where agent_id = ${agentId}::uuid and org_id = ${orgId}::uuid and cycle < ${before} and tsv @@ words
      union all
      select null, id, ts_rank_cd(tsv, words), updated_at
      from memories, asked
      where org_id = ${orgId}::uuid and (agent_id = ${agentId}::uuid or agent_id is null) and tsv @@ words
    ) as found
    order by rank desc, at desc
    limit ${limit}`.execute(db);
  return rows;
}

/** ts_rank knows nothing of how rare a word is, and a question is mostly common words: the sum of rarities does better. */
async function withSomeWords(
  db: Db | Trx,
  { orgId, agentId, before = EVERY_CYCLE }: Scope,
  query: string,
  limit: number,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with asked as (
      select lexeme, ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as word
      from unnest(to_tsvector('english', ${query}::text)) limit ${MOST_WORDS}
    ),
    hits as (
      select lexeme, cycle, null::uuid as id, created_at as at
      from asked join cycle_texts on tsv @@ word
      where agent_id = ${agentId}::uuid and org_id = ${orgId}::uuid and cycle < ${before}
      union all
      select lexeme, null, id, updated_at
      from asked join memories on tsv @@ word
      where org_id = ${orgId}::uuid and (agent_id = ${agentId}::uuid or agent_id is null)
    ),
    weights as (
      select lexeme, ln(1 + total / greatest(count(hits.lexeme), 1)::float) as weight
      from asked left join hits using (lexeme),
        (select count(*) as total from cycle_texts where agent_id = ${agentId}::uuid) as counted
      group by lexeme, total
    )
    select cycle, id, sum(weight) / (select greatest(sum(weight), 1) from weights) as strength
    from hits join weights using (lexeme)
    group by cycle, id
    order by sum(weight) desc, max(at) desc
    limit ${limit}`.execute(db);
  return rows;
}

function keyOf(row: Row): string {
  return `${row.cycle} ${row.id}`;
}
