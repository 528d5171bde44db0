import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Client } from 'pg';
import { expect, test } from 'vitest';

import { describeSchema } from '../../scripts/describe-schema.ts';
import { createTestDatabase } from '../support/test-database.ts';

const FILE = join(import.meta.dirname, '../../src/db/schema.sql');

test('schema.sql shows the tables as the migrations leave them', async () => {
  const { described } = await describe();
  const committed = (await readFile(FILE, 'utf8')).replace(/^--.*\n\n/, '');
  expect(described, 'src/db/schema.sql is out of date; run `npm run schema` and commit it').toBe(committed);
});

test('the description changes with a column, a default, a check, an index and a trigger', async () => {
  const changes = [
    'alter table skips add column weight integer not null default 3',
    'alter table skips alter column reason set default now()::text',
    'alter table skips add check (input_tokens >= 0)',
    'create index skips_by_model on skips (model) where output_tokens > 0',
    `create function ignore() returns trigger language plpgsql as 'begin return null; end'`,
    'create trigger ignored before delete on skips execute function ignore()',
  ];
  const { described, after } = await describe(changes);
  const seen = [described, ...after];
  expect(new Set(seen).size).toBe(changes.length + 1);
});

/** What the catalogue says at first, and after each of the changes. */
async function describe(changes: string[] = []): Promise<{ described: string; after: string[] }> {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const described = await describeSchema(client);
    const after: string[] = [];
    for (const change of changes) {
      await client.query(change);
      after.push(await describeSchema(client));
    }
    return { described, after };
  } finally {
    await client.end();
    await database.drop();
  }
}
