import { inject } from 'vitest';

/** URL of the Postgres that runs for the whole test run; tests make their own database with `createTestDatabase`. */
export function sharedPostgres(): string {
  return inject('databaseUrl');
}

/** Address of the Temporal server that runs for the whole test run; tests use a task queue of their own. */
export function sharedTemporal(): string {
  return inject('temporalAddress');
}
