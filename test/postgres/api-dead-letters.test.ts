import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../src/db/id.ts';
import { startApi, type TestApi } from '../support/api.ts';

type Letter = { id: string; preview?: string; error: string; failures: number; since: string; runId: string | null };
type List = { items: Letter[]; next: string | null };

let api: TestApi;
let agentId: string;
let spaceId: string;
let anaId: string;

beforeAll(async () => {
  api = await startApi();
  const make = async (path: string, body: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', path, { body })).body.id;
  anaId = await make('/v1/humans', { name: 'Ana' });
  agentId = await make('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
  spaceId = await make('/v1/spaces', { name: 'Room', members: [anaId, agentId] });
});
afterAll(() => api.close());

/** A message whose cycle was given up. */
async function deadLetter(text: string): Promise<string> {
  const message = await api.call<{ id: string }>('POST', `/v1/spaces/${spaceId}/messages`, {
    body: { senderId: anaId, text },
  });
  const row = await api.runtime.db
    .updateTable('inbox_events')
    .set({
      status: 'dead',
      run_id: newId(),
      joined_step: 2,
      failures: 3,
      error: '401 wrong key',
      dispatched_at: new Date(),
      ended_at: new Date('2026-03-01T12:00:00Z'),
    })
    .where('message_id', '=', message.body.id)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

const list = async (query = ''): Promise<List> =>
  (await api.call<List>('GET', `/v1/agents/${agentId}/dead-letters${query}`)).body;
const retry = (eventId: string, options = {}) => api.call('POST', `/v1/dead-letters/${eventId}/retry`, options);

test('the list shows what was given up, why and since when, newest first, in pages (P1)', async () => {
  const ids = [await deadLetter('x'.repeat(300)), await deadLetter('two'), await deadLetter('three')];
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.next}`);
  expect([...first.items, ...second.items].map((letter) => letter.id)).toEqual(ids.toReversed());
  expect(second).toMatchObject({
    next: null,
    items: [
      {
        type: 'message',
        preview: 'x'.repeat(200),
        failures: 3,
        error: '401 wrong key',
        since: '2026-03-01T12:00:00.000Z',
        space: { id: spaceId, name: 'Room' },
        sender: { id: anaId, name: 'Ana', kind: 'human' },
      },
    ],
  });
});

test('a retry puts the event back as if it had never been tried; a second one is a conflict', async () => {
  const id = await deadLetter('again please');
  expect(await retry(id)).toMatchObject({ status: 202, body: { eventId: id } });
  const row = await api.runtime.db.selectFrom('inbox_events').selectAll().where('id', '=', id).executeTakeFirst();
  expect(row).toMatchObject({
    status: 'pending',
    failures: 0,
    rings: 1,
    run_id: null,
    joined_step: null,
    error: null,
    ended_at: null,
  });
  expect((await list()).items.map((letter) => letter.id)).not.toContain(id);
  expect(await retry(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('is pending') } });
});

test('a repeated retry with the same Idempotency-Key is answered the same', async () => {
  const id = await deadLetter('once');
  const headers = { 'idempotency-key': newId() };
  expect((await retry(id, { headers })).status).toBe(202);
  expect((await retry(id, { headers })).status).toBe(202);
});

test('two retries at the same moment wake the agent once', async () => {
  const id = await deadLetter('race');
  const statuses = (await Promise.all([retry(id), retry(id)])).map((answer) => answer.status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 409]);
});

test('an unknown event and another organisation’s are not found', async () => {
  const id = await deadLetter('mine');
  const stranger = await api.createOrganization('Stranger');
  expect((await retry(newId())).status).toBe(404);
  expect((await retry(id, { key: stranger.key })).status).toBe(404);
  expect((await list()).items.map((letter) => letter.id)).toContain(id);
});

test('nothing wakes a deleted agent', async () => {
  const gone = await api.call<{ id: string }>('POST', '/v1/agents', { body: { name: 'Ben', instructions: 'x' } });
  const event = { id: newId(), org_id: api.home.id, agent_id: gone.body.id, type: 'service', status: 'dead' } as const;
  await api.runtime.db.insertInto('inbox_events').values(event).execute();
  expect((await api.call('DELETE', `/v1/agents/${gone.body.id}`)).status).toBe(204);
  expect((await retry(event.id)).status).toBe(404);
});
