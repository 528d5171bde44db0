import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';

// A message may be a few hundred kilobytes; fifty of them are what one export may hold at once.
const PAGE = 50;

// How each table is read on from the last row of a page, which its id names: an index finds that place at any depth.
const TABLES = {
  consciousness_messages: { owner: 'agent_id', id: 'seq', order: ['seq'] },
  compactions: { owner: 'agent_id', id: 'after_cycle', order: ['after_cycle'] },
  cycle_texts: { owner: 'agent_id', id: 'cycle', order: ['cycle'] },
  prompts: { owner: 'agent_id', id: 'hash', order: ['hash'] },
  runs: { owner: 'agent_id', id: 'id', order: ['started_at', 'id'] },
  skips: { owner: 'agent_id', id: 'id', order: ['created_at', 'id'] },
  inbox_events: { owner: 'agent_id', id: 'position', order: ['position'] },
  memories: { owner: 'agent_id', id: 'key', order: ['key'] },
  memory_changes: { owner: 'agent_id', id: 'seq', order: ['seq'] },
  goals: { owner: 'agent_id', id: 'id', order: ['id'] },
  goal_changes: { owner: 'agent_id', id: 'seq', order: ['seq'] },
  plans: { owner: 'agent_id', id: 'id', order: ['id'] },
  messages: { owner: 'sender_id', id: 'id', order: ['id'] },
} as const;

// Made from the other columns, and made again from them.
const DERIVED = new Set(['tsv', 'characters', 'signs', 'embedding', 'embedding_model']);

/** All rows of one agent in a table, a page at a time. */
export async function* exportRows(
  db: Db,
  table: keyof typeof TABLES,
  { orgId, agentId }: { orgId: string; agentId: string },
  pageSize = PAGE,
): AsyncGenerator<Record<string, unknown>[]> {
  const { owner, id, order } = TABLES[table];
  const place = sql.join(order.map((column) => sql.ref(column)));
  const mine = sql`${sql.ref(owner)} = ${agentId}::uuid and org_id = ${orgId}::uuid`;
  let last: unknown;
  for (;;) {
    // Compared inside Postgres: a time that came here has lost its microseconds.
    const behind = sql`and (${place}) > (select ${place} from ${sql.table(table)} where ${mine} and ${sql.ref(id)} = ${last})`;
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where ${mine} ${last === undefined ? sql`` : behind}
      order by ${place} limit ${pageSize}::integer`.execute(db);
    if (rows.length > 0) yield rows.map(toExported);
    if (rows.length < pageSize) return;
    last = rows.at(-1)![id];
  }
}

/** Columns under the names that the API uses. */
export function toExported(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !DERIVED.has(column))
      .map(([column, value]) => [
        column.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
        Buffer.isBuffer(value) ? value.toString('hex') : value,
      ]),
  );
}
