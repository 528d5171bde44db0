import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';

import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
export type Trx = Transaction<Schema>;

export type Database = {
  db: Db;
  pool: pg.Pool;
  url: string;
  close(): Promise<void>;
};

// seq and counters are bigint in Postgres; they stay far below 2^53, so numbers are safe and read better.
const INT8 = 20;

// Node forgets an idle connection's death until it is used; ten seconds without an answer is dead enough to say so.
const CONNECT_TIMEOUT_MS = 10_000;

export function openDatabase(url: string, options: { max?: number; onError?: (error: Error) => void } = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 20,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: {
      getTypeParser: (oid: number, format?: unknown) =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  });
  // Without these listeners the process exits when Postgres restarts: the pool listens for its idle connections only, and
  // one that a transaction holds between two statements has nobody else. A dying connection may err twice; said once.
  pool.on('connect', (client) => {
    client.once('error', (error) => options.onError?.(error));
    client.on('error', () => undefined);
  });
  pool.on('error', () => undefined);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, url, close: () => db.destroy() };
}
