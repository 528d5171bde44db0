import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { knownMemories, MEMORY_COLUMNS, toMemory, type Memory } from './memory.ts';

// Past this many characters of a question more words only blur it.
const LONGEST_QUESTION = 4_000;

/** An agent's memories and the organisation's that share words with a text, best first. */
export async function findMemories(
  db: Db | Trx,
  owner: { orgId: string; agentId: string },
  input: { text: string; limit: number; except?: string[]; orContaining?: string },
): Promise<Memory[]> {
  const asked = anyWordOf(input.text.slice(0, LONGEST_QUESTION).toWellFormed());
  const { except = [], orContaining } = input;
  const rows = await knownMemories(db, owner)
    .select(MEMORY_COLUMNS)
    .where((eb) =>
      eb.or([
        sql<boolean>`tsv @@ ${asked}`,
        // Scripts without spaces have no words to share.
        ...(orContaining === undefined
          ? []
          : [sql<boolean>`position(lower(${orContaining}::text) in lower(key || ' ' || value)) > 0`]),
      ]),
    )
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .orderBy(sql`ts_rank(tsv, coalesce(${asked}, ''::tsquery))`, 'desc')
    .orderBy('importance', 'desc')
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(input.limit)
    .execute();
  return rows.map(toMemory);
}

/** Stemmed, without stop words, any of them: an inbox is a text, and a query of all its words would find nothing. */
function anyWordOf(text: string) {
  return sql`(
    select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery
    from unnest(to_tsvector('english', ${text}::text))
  )`;
}
