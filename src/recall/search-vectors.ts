import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { toPlace, type Found, type Scope } from './found.ts';
import { hasPgvector } from './pgvector.ts';
import { signBits } from './unit-vector.ts';

type Asked = { vector: number[]; embedder: string; trust: number };
type Row = { cycle: number | null; id: string | null; passage: number };

// Passages that get an exact look after the first one at their signs. On the corpus of `npm run bench:recall` (8,000
// passages) 100, 200, 400 and 800 gave 95.8, 98.4, 99.6 and 100 % of the exact search's first five.
const LOOKED_AT = 200;

/** By meaning: places whose nearest passage is nearest to the vector. `vector` has length one. */
export async function searchVectors(
  db: Db | Trx,
  scope: Scope,
  asked: Asked,
  limit: number,
): Promise<Found[]> {
  const rows = (await hasPgvector(db))
    ? await withPgvector(db, scope, asked, limit)
    : await withSigns(db, scope, asked, limit);
  return rows.map((row) => ({ place: toPlace(row), passage: row.passage, strength: asked.trust }));
}

/** Every passage that can be compared: of the same embedder, and of the same length in case that one changed. */
function passages({ orgId, agentId }: Scope, asked: Asked) {
  const size = sql.lit(asked.vector.length);
  // By the signs, which lie in the row itself; the vectors lie apart, and fetching all of them takes longer than the search.
  const comparable = sql`embedding_model = ${asked.embedder} and length(signs) > 0 and length(signs) % ${size} = 0`;
  return sql`
    select cycle, null::uuid as id, embedding, signs, passage
    from cycle_texts cross join lateral generate_series(0, length(signs) / ${size} - 1) as passage
    where agent_id = ${agentId}::uuid and org_id = ${orgId}::uuid and ${comparable}
    union all
    select null, id, embedding, signs, passage
    from memories cross join lateral generate_series(0, length(signs) / ${size} - 1) as passage
    where org_id = ${orgId}::uuid and (agent_id = ${agentId}::uuid or agent_id is null) and ${comparable}`;
}

async function withSigns(
  db: Db | Trx,
  scope: Scope,
  asked: Asked,
  limit: number,
): Promise<Row[]> {
  const size = sql.lit(asked.vector.length);
  const { rows } = await sql<Row>`
    with near as (
      select cycle, id, embedding, passage from (${passages(scope, asked)}) as passages
      order by bit_count(substring(signs from passage * ${size} + 1 for ${size}) # ${signBits(asked.vector)}::bit varying)
      limit ${LOOKED_AT}
    ),
    scored as (
      select cycle, id, passage, (
        select sum(mine * theirs)
        from unnest(embedding[passage * ${size} + 1 : (passage + 1) * ${size}], ${asked.vector}::real[]) as pair (mine, theirs)
      ) as likeness
      from near
    )
    select * from (
      select distinct on (cycle, id) cycle, id, passage, likeness from scored order by cycle, id, likeness desc
    ) as best
    order by likeness desc
    limit ${limit}`.execute(db);
  return rows;
}

async function withPgvector(
  db: Db | Trx,
  scope: Scope,
  asked: Asked,
  limit: number,
): Promise<Row[]> {
  const size = sql.lit(asked.vector.length);
  const { rows } = await sql<Row>`
    with scored as (
      select cycle, id, passage,
        embedding[passage * ${size} + 1 : (passage + 1) * ${size}]::vector <=> ${asked.vector}::real[]::vector as distance
      from (${passages(scope, asked)}) as passages
    )
    select * from (
      select distinct on (cycle, id) cycle, id, passage, distance from scored order by cycle, id, distance
    ) as best
    order by distance
    limit ${limit}`.execute(db);
  return rows;
}
