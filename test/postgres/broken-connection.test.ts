import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { openDatabase } from '../../src/db/open-database.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { eventually } from '../support/world.ts';

test('a connection that breaks between two statements of a transaction fails that transaction, not the process', async () => {
  const testDatabase = await createTestDatabase();
  const broken: string[] = [];
  const database = openDatabase(testDatabase.url, { max: 1, onError: (error) => void broken.push(error.message) });
  const other = openDatabase(testDatabase.url, { max: 1 });

  const interrupted = database.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(other.db);
    // No statement is under way that could carry the error, as when the transaction waits for another server.
    await eventually('the loss is noticed', 5_000, async () => broken.length > 0);
    await sql`select 1`.execute(trx);
  });
  await expect(interrupted).rejects.toThrow(/connection error and is not queryable/);
  expect(broken).toHaveLength(1);
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }]);

  await database.close();
  await other.close();
  await testDatabase.drop();
});

test('a connection that breaks while it is idle is said once and replaced by the next query', async () => {
  const testDatabase = await createTestDatabase();
  const broken: string[] = [];
  const database = openDatabase(testDatabase.url, { max: 1, onError: (error) => void broken.push(error.message) });
  const other = openDatabase(testDatabase.url, { max: 1 });

  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db);
  await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(other.db);
  await eventually('the loss is noticed', 5_000, async () => broken.length > 0);
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }]);

  expect(broken).toHaveLength(1);
  await database.close();
  await other.close();
  await testDatabase.drop();
});
