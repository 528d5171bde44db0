import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetOldRepeats } from '../../src/keys/repeats.ts';
import { startApi, type Answer, type TestApi } from '../support/api.ts';

type Id = { id: string };

let api: TestApi;
let ana: string;
let spaceId: string;

beforeAll(async () => {
  api = await startApi();
  ana = (await api.call<Id>('POST', '/v1/humans', { body: { name: 'Ana' } })).body.id;
  spaceId = (await api.call<Id>('POST', '/v1/spaces', { body: { name: 'Room', members: [ana] } })).body.id;
});
afterAll(() => api.close());

function post(idempotencyKey: string, text: string): Promise<Answer<Id & { code?: string }>> {
  const headers = { 'idempotency-key': idempotencyKey };
  return api.call('POST', `/v1/spaces/${spaceId}/messages`, { body: { senderId: ana, text }, headers });
}

async function messagesSaying(text: string): Promise<number> {
  const rows = await api.runtime.db.selectFrom('messages').select('id').where('text', '=', text).execute();
  return rows.length;
}

describe('a request sent again with its Idempotency-Key', () => {
  test('gets the same answer to the byte and happens once', async () => {
    const first = await post('again', 'Once');
    const second = await post('again', 'Once');
    expect(second.status).toBe(201);
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await messagesSaying('Once')).toBe(1);
  });

  test('happens once when five arrive together', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('together', 'Five')));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(4);
    expect(await messagesSaying('Five')).toBe(1);
  });

  test('is refused with another body, however close', async () => {
    await post('other-body', 'One');
    const refused = await post('other-body', 'One ');
    expect(refused.status).toBe(422);
    expect(refused.body.code).toBe('idempotency-mismatch');
    expect(await messagesSaying('One ')).toBe(0);
  });

  test('is the same request when only its spaces and the order of its fields differ', async () => {
    const first = await post('same-meaning', 'Same');
    const second = await api.call<Id>('POST', `/v1/spaces/${spaceId}/messages`, {
      rawBody: `{ "text": "Same",\n "senderId": "${ana}" }`,
      headers: { 'idempotency-key': 'same-meaning', 'content-type': 'application/json' },
    });
    expect(second.body.id).toBe(first.body.id);
  });

  test('is another request on another path, and of another caller', async () => {
    await api.call('POST', '/v1/humans', { body: { name: 'Ben' }, headers: { 'idempotency-key': 'path' } });
    const refused = await api.call('POST', '/v1/spaces', {
      body: { name: 'Ben' },
      headers: { 'idempotency-key': 'path' },
    });
    expect(refused.status).toBe(422);
    const { key } = (await api.call<{ key: string }>('POST', '/v1/keys', { body: { role: 'admin' } })).body;
    const other = await api.call('POST', '/v1/spaces', {
      key,
      body: { name: 'Ben' },
      headers: { 'idempotency-key': 'path' },
    });
    expect(other.status).toBe(201);
  });

  test('may be tried again after it failed', async () => {
    const stranger = (await api.call<Id>('POST', '/v1/humans', { body: { name: 'Late' } })).body.id;
    const say = () =>
      api.call('POST', `/v1/spaces/${spaceId}/messages`, {
        body: { senderId: stranger, text: 'May I?' },
        headers: { 'idempotency-key': 'after-failure' },
      });
    expect((await say()).status).toBe(403);
    await api.call('PUT', `/v1/spaces/${spaceId}/members/${stranger}`);
    expect((await say()).status).toBe(201);
  });

  test('shows a new key again to the caller who made it', async () => {
    const make = () =>
      api.call<{ key: string }>('POST', '/v1/keys', { body: { role: 'admin' }, headers: { 'idempotency-key': 'key' } });
    const first = await make();
    const second = await make();
    expect(second.body.key).toBe(first.body.key);
    const create = () =>
      api.call<{ adminKey: string }>('POST', '/v1/organizations', {
        key: api.rootKey,
        body: { name: 'Acme' },
        headers: { 'idempotency-key': 'organization' },
      });
    expect((await create()).body.adminKey).toBe((await create()).body.adminKey);
  });

  test('is forgotten after a day', async () => {
    await post('yesterday', 'Old');
    await post('today', 'New');
    await api.runtime.db
      .updateTable('idempotency_keys')
      .set({ created_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('key', '=', 'yesterday')
      .execute();
    await forgetOldRepeats(api.runtime.db);
    const keys = await api.runtime.db.selectFrom('idempotency_keys').select('key').execute();
    expect(keys.map((row) => row.key)).not.toContain('yesterday');
    expect(keys.map((row) => row.key)).toContain('today');
  });
});
