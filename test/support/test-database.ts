import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { administer, urlOf } from './template-database.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A migrated database of the test's own. Call `drop` only when the test passed, if a failure should be looked at. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('databaseUrl');
  const name = `wakeful_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name} template ${inject('templateDatabase')}`);
  return {
    url: urlOf(server, name),
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}
