import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../src/db/id.ts';
import { openDatabase, type Database } from '../../src/db/open-database.ts';
import { discardOpenDrafts } from '../../src/stream/drafts.ts';
import { createEventWriter } from '../../src/stream/event-writer.ts';
import type { LiveEvent } from '../../src/stream/write-live-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = openDatabase(server.url);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

async function room(): Promise<{ orgId: string; spaceIds: [string, string] }> {
  const orgId = newId();
  await database.db.insertInto('organizations').values({ id: orgId, name: 'Test' }).execute();
  const spaceIds: [string, string] = [newId(), newId()];
  for (const id of spaceIds) await database.db.insertInto('spaces').values({ id, org_id: orgId, name: 'S' }).execute();
  return { orgId, spaceIds };
}

const fail = (error: unknown): never => {
  throw error;
};

const started = (orgId: string, spaceId: string, draftId: string, runId: string): LiveEvent => ({
  orgId,
  spaceId,
  runId,
  event: { type: 'message.started', data: { draftId, attempt: 1, senderId: newId() } },
});

const delta = (orgId: string, spaceId: string, draftId: string, runId: string, offset: number): LiveEvent => ({
  orgId,
  spaceId,
  runId,
  event: { type: 'message.delta', data: { draftId, attempt: 1, offset, text: 'x' } },
});

test('several batchers at the same spaces keep each log gap-free and in the order of each writer', async () => {
  const { orgId, spaceIds } = await room();
  const runId = newId();
  const writers = [1, 2, 3, 4].map(() => createEventWriter(database.db, fail));
  const drafts = writers.map(() => spaceIds.map(() => newId()));
  const everywhere = (event: (spaceId: string, draftId: string) => LiveEvent): void => {
    for (const [index, writer] of writers.entries()) {
      for (const [place, spaceId] of spaceIds.entries()) writer.write(event(spaceId, drafts[index]![place]!));
    }
  };
  everywhere((spaceId, draftId) => started(orgId, spaceId, draftId, runId));
  for (let offset = 0; offset < 100; offset += 1) {
    everywhere((spaceId, draftId) => delta(orgId, spaceId, draftId, runId, offset));
    if (offset % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(writers.map((writer) => writer.drained()));
  for (const spaceId of spaceIds) {
    const log = database.db.selectFrom('space_events').selectAll().where('space_id', '=', spaceId);
    const rows = await log.orderBy('seq').execute();
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 404 }, (_, index) => index + 1));
    for (const draftId of drafts.flat()) {
      const mine = rows.filter((row) => row.draft_id === draftId);
      const offsets = mine.map((row) => (row.data as { offset: number }).offset);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  }
});

test('what a taken-over attempt still writes for a discarded draft is refused', async () => {
  const { orgId, spaceIds } = await room();
  const writer = createEventWriter(database.db, fail);
  const [draftId, runId] = [newId(), newId()];
  writer.write(started(orgId, spaceIds[0], draftId, runId));
  writer.write(delta(orgId, spaceIds[0], draftId, runId, 0));
  await writer.drained();
  await discardOpenDrafts(database.db, { id: runId, orgId });
  writer.write(delta(orgId, spaceIds[0], draftId, runId, 1));
  await writer.drained();
  const log = database.db.selectFrom('space_events').select('type').where('space_id', '=', spaceIds[0]);
  const types = (await log.orderBy('seq').execute()).map((row) => row.type);
  expect(types).toEqual(['message.started', 'message.delta', 'message.discarded']);
});

test('drained settles while others keep writing', async () => {
  const { orgId, spaceIds } = await room();
  const writer = createEventWriter(database.db, fail);
  const [draftId, runId] = [newId(), newId()];
  writer.write(started(orgId, spaceIds[0], draftId, runId));
  let offset = 0;
  const noise = setInterval(() => writer.write(delta(orgId, spaceIds[0], draftId, runId, (offset += 1))), 1);
  await writer.drained();
  clearInterval(noise);
  await writer.drained();
  const log = database.db.selectFrom('space_events').select('seq').where('space_id', '=', spaceIds[0]);
  expect(await log.execute()).toHaveLength(offset + 1);
});
