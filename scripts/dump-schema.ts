/** `npm run schema`: writes src/db/schema.sql, the tables as all migrations together leave them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { startPostgres } from '../src/stack/start-postgres.ts';
import { describeSchema } from './describe-schema.ts';

const FILE = join(import.meta.dirname, '../src/db/schema.sql');

// A Postgres of its own: the one at hand may hold more, or less, than the migrations.
const dataDir = await mkdtemp(join(tmpdir(), 'wakeful-schema-'));
const postgres = await startPostgres({ dataDir, progress: () => undefined, usualPort: 0 });
const database = openDatabase(postgres.url, { max: 1 });
try {
  await migrate(database);
  const client = await database.pool.connect();
  const schema = await describeSchema(client);
  client.release();
  await writeFile(
    FILE,
    `-- Written by \`npm run schema\`; a test fails when it is out of date. Changes are made in migrations/.\n\n${schema}`,
  );
  process.stdout.write(`wrote ${FILE}\n`);
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
