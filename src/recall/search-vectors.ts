import { sql, type RawBuilder } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import type { Embedder } from './embedder.ts';
import { EVERY_CYCLE, toPlace, type Found, type Scope } from './found.ts';
import { hasPgvector } from './pgvector.ts';
import { signBits } from './unit-vector.ts';

// Passages that get an exact look after a first one at their signs. On the corpus of `npm run bench:recall` (8,000
// passages) 100, 200, 400 and 800 gave 95.8, 98.4, 99.6 and 100 % of the first five that comparing all of them gives.
// Times on two busy cores: all of them 115 ms by unnest with one passage a cycle and 100 ms by pgvector with four, because
// the vectors lie apart from their rows; 200 by unnest 20 ms, 800 by pgvector 20 ms. To fetch all of them into this
// process takes 100 ms and more, and to keep them there takes 16 MB for each such agent.
const LOOKED_AT = { unnest: 200, pgvector: 800 };

type Asked = { vector: number[]; embedder: Pick<Embedder, 'name' | 'trust' | 'floor'> };
type Row = { cycle: number | null; id: string | null; passage: number };

/** By meaning: places whose nearest passage is nearest to the vector. `vector` has length one, and so have all in rows. */
export async function searchVectors(db: Db | Trx, scope: Scope, asked: Asked, limit: number): Promise<Found[]> {
  const pgvector = await hasPgvector(db);
  const size = sql.lit(asked.vector.length);
  const vector = sql`embedding[passage * ${size} + 1 : (passage + 1) * ${size}]`;
  const { rows } = await sql<Row>`
    with near as (
      select cycle, id, embedding, passage from (${passages(scope, asked)}) as passages
      order by bit_count(substring(signs from passage * ${size} + 1 for ${size}) # ${signBits(asked.vector)}::bit varying)
      limit ${pgvector ? LOOKED_AT.pgvector : LOOKED_AT.unnest}
    ),
    compared as (
      select cycle, id, passage, ${pgvector ? byPgvector(vector, asked) : byUnnest(vector, asked)} as likeness from near
    )
    select cycle, id, passage from (
      select distinct on (cycle, id) cycle, id, passage, likeness from compared order by cycle, id, likeness desc
    ) as best
    where likeness >= ${asked.embedder.floor}::real
    order by likeness desc
    limit ${limit}`.execute(db);
  return rows.map((row) => ({ place: toPlace(row), passage: row.passage, strength: asked.embedder.trust }));
}

/** Every passage that can be compared: of the same embedder, and of the same length in case that one changed. */
function passages({ orgId, agentId, before = EVERY_CYCLE }: Scope, asked: Asked): RawBuilder<unknown> {
  const size = sql.lit(asked.vector.length);
  const comparable = sql`embedding_model = ${asked.embedder.name} and length(signs) > 0 and length(signs) % ${size} = 0`;
  return sql`
    select cycle, null::uuid as id, embedding, signs, passage
    from cycle_texts cross join lateral generate_series(0, length(signs) / ${size} - 1) as passage
    where agent_id = ${agentId}::uuid and org_id = ${orgId}::uuid and cycle < ${before} and ${comparable}
    union all
    select null, id, embedding, signs, passage
    from memories cross join lateral generate_series(0, length(signs) / ${size} - 1) as passage
    where org_id = ${orgId}::uuid and (agent_id = ${agentId}::uuid or agent_id is null) and ${comparable}`;
}

function byUnnest(vector: RawBuilder<unknown>, asked: Asked): RawBuilder<unknown> {
  return sql`(select sum(mine * theirs) from unnest(${vector}, ${asked.vector}::real[]) as pair (mine, theirs))`;
}

/** The cosine of unit vectors is their product, which pgvector gives with a minus. */
function byPgvector(vector: RawBuilder<unknown>, asked: Asked): RawBuilder<unknown> {
  return sql`-(${vector}::vector <#> ${asked.vector}::real[]::vector)`;
}
