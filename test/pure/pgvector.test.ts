import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { Kysely, PGliteDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { migrate } from '../../src/db/migrate.ts';
import type { Database, Db } from '../../src/db/open-database.ts';
import { newId } from '../../src/db/id.ts';
import type { Schema } from '../../src/db/schema.ts';
import { setMemories } from '../../src/memory/set-memories.ts';
import { letterEmbedder, letterVector } from '../../src/recall/letter-embedder.ts';
import { hasPgvector, preparePgvector } from '../../src/recall/pgvector.ts';
import { searchVectors } from '../../src/recall/search-vectors.ts';
import { unitVector } from '../../src/recall/unit-vector.ts';
import { agentOf, embedAll, live } from '../support/recall-scene.ts';

// The Postgres that npm brings has no pgvector. PGlite is Postgres and pgvector compiled to WebAssembly: the real
// extension, without a server. Where compose runs, this is the path that every search takes.
let db: Db;
beforeAll(async () => {
  db = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite: new PGlite({ extensions: { vector } }) }) });
  await migrate({ db } as Database);
}, 60_000);
afterAll(() => db.destroy());

const TEXTS = [
  'The harbour is closed on Sundays',
  'Harbours and their keepers',
  'A harbor seal was seen',
  'Soup again for lunch',
  'The keeper of the lighthouse retires in May',
  'Light houses are cheap here',
  'Nothing of interest',
];

test('pgvector finds what comparing by hand finds, in the same order', { timeout: 60_000 }, async () => {
  const embedder = letterEmbedder();
  const orgId = newId();
  await db.insertInto('organizations').values({ id: orgId, name: 'Harbour' }).execute();
  const scope = await agentOf(db, orgId);
  for (const [index, text] of TEXTS.entries()) await live(db, scope, index + 1, text);
  await db
    .transaction()
    .execute((trx) => setMemories(trx, scope, 'person', [{ key: 'harbour_code', value: 'The harbour code is 4471' }]));
  await embedAll(db, embedder);

  const search = (question: string) =>
    searchVectors(db, scope, { vector: unitVector(letterVector(question))!, embedder }, 10);
  const questions = ['harbour', 'lighthouse keepers', 'soup', 'when is the harbour closed'];
  expect(await hasPgvector(db)).toBe(false);
  const byHand = await Promise.all(questions.map(search));
  expect(byHand.map((found) => found.length > 0)).toEqual(questions.map(() => true));

  await preparePgvector(db);
  expect(await hasPgvector(db)).toBe(true);
  await preparePgvector(db); // a second worker that starts
  expect(await Promise.all(questions.map(search))).toEqual(byHand);

  await sql`drop extension vector`.execute(db);
  expect(await search('harbour')).toEqual(byHand[0]);
});
