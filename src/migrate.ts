import { ConfigError, readConfig } from './config.ts';
import { migrateAt } from './db/migrate.ts';
import { checkDatabase } from './stack/check-servers.ts';
import { StackError } from './stack/stack-error.ts';

/** Brings the schema up to date and ends: `npm run migrate`. For deployments that migrate before they start. */
async function main(): Promise<void> {
  const { databaseUrl } = readConfig();
  if (databaseUrl === undefined) {
    throw new ConfigError(
      'npm run migrate needs DATABASE_URL; `npm start` brings a Postgres of its own and migrates it.',
    );
  }
  await checkDatabase(databaseUrl);
  const applied = await migrateAt(databaseUrl);
  console.log(applied.length === 0 ? 'The schema was up to date already.' : `Migrated: ${applied.join(', ')}.`);
}

try {
  await main();
} catch (error) {
  // A fault we foresaw is a sentence; one we did not keeps its stack, for the report.
  const foreseen = error instanceof ConfigError || error instanceof StackError;
  console.error(foreseen ? error.message : error);
  process.exitCode = 1;
}
