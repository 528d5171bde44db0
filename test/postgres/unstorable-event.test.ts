import { afterEach, beforeEach, expect, test } from 'vitest';

import { newId } from '../../src/db/id.ts';
import { openDatabase, type Database } from '../../src/db/open-database.ts';
import { createEventWriter } from '../../src/stream/event-writer.ts';
import type { SpaceEvent } from '../../src/stream/space-event.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let server: TestDatabase;
let database: Database;
beforeEach(async () => {
  server = await createTestDatabase();
  database = openDatabase(server.url);
});
afterEach(async () => {
  await database.close();
  await server.drop();
});

test(
  'a delta with characters that Postgres refuses is stored, and does not hold up those behind it',
  { timeout: 10_000 },
  async () => {
    const { db } = database;
    const [orgId, spaceId, runId, draftId] = [newId(), newId(), newId(), newId()];
    await db.insertInto('organizations').values({ id: orgId, name: 'Test' }).execute();
    await db.insertInto('spaces').values({ id: spaceId, org_id: orgId, name: 'Lobby' }).execute();
    const faults: unknown[] = [];
    const writer = createEventWriter(db, (error) => faults.push(error));
    const write = (event: SpaceEvent): void => writer.write({ orgId, spaceId, runId, event });

    write({ type: 'message.started', data: { draftId, attempt: 1, senderId: newId() } });
    write({ type: 'message.delta', data: { draftId, attempt: 1, offset: 0, text: 'a\u0000b\uD800' } });
    write({ type: 'message.delta', data: { draftId, attempt: 1, offset: 4, text: 'c' } });
    await Promise.race([
      writer.drained(),
      new Promise((_resolve, reject) =>
        setTimeout(() => reject(new Error(`not written within 5 s: ${String(faults[0])}`)), 5_000),
      ),
    ]);

    const rows = await db
      .selectFrom('space_events')
      .select(['seq', 'data'])
      .where('type', '=', 'message.delta')
      .orderBy('seq')
      .execute();
    expect(faults).toEqual([]);
    expect(rows.map((row) => [row.seq, (row.data as { text: string }).text])).toEqual([
      [2, 'a\uFFFDb\uFFFD'],
      [3, 'c'],
    ]);
  },
);
