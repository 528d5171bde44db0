import { sql } from 'kysely';
import { Migrator, type Migration, type MigrationProvider } from 'kysely/migration';

import { openDatabase, type Database } from './open-database.ts';
import * as ground from './migrations/0001-ground.ts';
import * as thinkCycle from './migrations/0002-think-cycle.ts';
import * as consciousness from './migrations/0003-consciousness.ts';
import * as usage from './migrations/0004-usage.ts';
import * as asyncTools from './migrations/0005-async-tools.ts';
import * as plans from './migrations/0006-plans.ts';

const MIGRATIONS: Record<string, Migration> = {
  '0001-ground': ground,
  '0002-think-cycle': thinkCycle,
  '0003-consciousness': consciousness,
  '0004-usage': usage,
  '0005-async-tools': asyncTools,
  '0006-plans': plans,
};

/**
 * Brings the schema up to date and names the migrations it ran. Several processes may call it at once: Kysely holds an
 * advisory lock while it migrates.
 */
export async function migrate(database: Database): Promise<string[]> {
  await refuseUnsafeDurability(database);
  const provider: MigrationProvider = { getMigrations: () => Promise.resolve(MIGRATIONS) };
  const migrator = new Migrator({ db: database.db, provider });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map((result) => result.migrationName);
}

/** The same for whoever only has the address; returns what was applied. */
export async function migrateAt(databaseUrl: string): Promise<string[]> {
  const database = openDatabase(databaseUrl, { max: 1 });
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}

/** A 201 promises that a message survives a crash; with synchronous_commit off Postgres may forget the last commits. */
async function refuseUnsafeDurability(database: Database): Promise<void> {
  const { rows } = await sql<{ setting: string }>`select current_setting('synchronous_commit') as setting`.execute(
    database.db,
  );
  if (rows[0]?.setting === 'off') {
    throw new Error('Postgres runs with synchronous_commit=off, which may lose accepted messages; set it to on');
  }
}
