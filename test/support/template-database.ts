import { Client } from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';

/**
 * Makes the migrated, empty database that test databases are copies of, so that a test pays for one copy however many
 * migrations there are. A copy took 33 to 305 ms on two cores; `strategy file_copy` was slower than the default.
 */
export async function createTemplate(serverUrl: string): Promise<{ name: string; drop(): Promise<void> }> {
  const name = `wakeful_template_${process.pid}`;
  await administer(serverUrl, `create database ${name}`);
  const database = openDatabase(urlOf(serverUrl, name), { max: 1 });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  return { name, drop: () => administer(serverUrl, `drop database if exists ${name} with (force)`) };
}

/** Runs one statement on the server itself, outside any test's database. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
