import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { openStream, type StreamedEvent, type TestStream } from '../support/sse.ts';

type Id = { id: string };

let api: TestApi;
let ana: string;
const streams: TestStream[] = [];

beforeAll(async () => {
  api = await startApi();
  ana = await make('/v1/humans', { name: 'Ana' });
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await api.close();
});

async function make(path: string, body: object): Promise<string> {
  return (await api.call<Id>('POST', path, { body })).body.id;
}

async function say(spaceId: string, text: string): Promise<void> {
  expect((await api.call('POST', `/v1/spaces/${spaceId}/messages`, { body: { senderId: ana, text } })).status).toBe(
    201,
  );
}

async function follow(
  spaceId: string,
  options: { key?: string; lastEventId?: number; query?: string } = {},
): Promise<TestStream> {
  const path = `/v1/spaces/${spaceId}/events${options.query ?? ''}`;
  const stream = await openStream(api.url, path, options.key ?? api.home.key, options.lastEventId);
  streams.push(stream);
  return stream;
}

async function entityKey(entityId: string): Promise<{ id: string; key: string }> {
  return (await api.call<{ id: string; key: string }>('POST', '/v1/keys', { body: { role: 'entity', entityId } })).body;
}

function endsWithin(stream: TestStream, limitMs: number): Promise<boolean> {
  return Promise.race([stream.ended.then(() => true), pause(limitMs, false, { ref: false })]);
}

const seqs = (events: StreamedEvent[]): number[] => events.map((event) => event.id);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the event stream of a space', () => {
  test('tells what was, then what happens, each once and in order', async () => {
    const space = await make('/v1/spaces', { name: 'Room', members: [ana] });
    await say(space, 'before');
    const stream = await follow(space);
    await stream.until('the past', (events) => events.length === 2);
    await say(space, 'line one\nline two\r\n\r\nid: 7');
    const events = await stream.until('the new message', (all) => all.length === 3);
    expect(seqs(events)).toEqual([1, 2, 3]);
    expect(events.map((event) => event.type)).toEqual(['member.added', 'message.created', 'message.created']);
    expect(events[2]!.data).toMatchObject({ seq: 2, text: 'line one\nline two\r\n\r\nid: 7', senderName: 'Ana' });
  });

  test('brings a live message within a tenth of a second', async () => {
    const space = await make('/v1/spaces', { name: 'Fast', members: [ana] });
    const stream = await follow(space);
    await stream.until('the start of the log', (events) => events.length === 1);
    const times: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const sent = Date.now();
      await say(space, `${turn}`);
      await stream.until(`message ${turn}`, (events) => events.length === turn + 2);
      times.push(Date.now() - sent);
    }
    expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(100);
  });

  test('resumed at any point of the log, gives exactly the rest', async () => {
    const space = await make('/v1/spaces', { name: 'Resume', members: [ana] });
    for (let turn = 0; turn < 9; turn += 1) await say(space, `${turn}`);
    const whole = await follow(space);
    const all = [...(await whole.until('the whole log', (events) => events.length === 10))];
    for (let cut = 0; cut <= 10; cut += 1) {
      const byHeader = await follow(space, { lastEventId: cut, query: '?after=0' });
      const byQuery = await follow(space, { query: `?after=${cut}` });
      for (const stream of [byHeader, byQuery]) {
        const rest = await stream.until(`the rest after ${cut}`, (events) => events.length === 10 - cut);
        expect([...all.slice(0, cut), ...rest]).toEqual(all);
        stream.close();
      }
    }
  });

  test('a reader cut off again and again sees what one sees who stays', async () => {
    const space = await make('/v1/spaces', { name: 'Cuts', members: [ana] });
    const steady = await follow(space);
    const talk = (async () => {
      for (let turn = 0; turn < 60; turn += 1) await say(space, `${turn}`);
    })();
    const pieced: StreamedEvent[] = [];
    while (pieced.length < 61) {
      const piece = await follow(space, { lastEventId: pieced.at(-1)?.id ?? 0 });
      const wanted = Math.min(7, 61 - pieced.length);
      await piece.until(`${wanted} more`, (events) => events.length >= wanted);
      pieced.push(...piece.events.slice(0, wanted));
      piece.close();
    }
    await talk;
    const all = await steady.until('all', (events) => events.length === 61);
    expect(pieced).toEqual(all);
    expect(seqs(all)).toEqual(upTo(61));
  });

  test('gives a long backlog whole', async () => {
    const space = await make('/v1/spaces', { name: 'Long', members: [ana] });
    const { db } = api.runtime;
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      space_id: space,
      seq: index + 2,
      org_id: api.home.id,
      type: 'space.updated',
      data: JSON.stringify({ spaceId: space, name: `${index}` }),
    }));
    await db.insertInto('space_events').values(rows).execute();
    await db.updateTable('spaces').set({ event_seq: 1_001 }).where('id', '=', space).execute();
    const stream = await follow(space);
    expect(seqs(await stream.until('1,001 events', (events) => events.length === 1_001))).toEqual(upTo(1_001));
  });

  test('ends within five seconds when its key is revoked', async () => {
    const space = await make('/v1/spaces', { name: 'Revoked', members: [ana] });
    const { id, key } = await entityKey(ana);
    const stream = await follow(space, { key });
    await stream.until('the start of the log', (events) => events.length === 1);
    await api.call('DELETE', `/v1/keys/${id}`);
    expect(await endsWithin(stream, 5_000)).toBe(true);
  });

  test('ends with the removal of the member who reads it, and not one event later', async () => {
    const ben = await make('/v1/humans', { name: 'Ben' });
    const space = await make('/v1/spaces', { name: 'Removed', members: [ana, ben] });
    const { key } = await entityKey(ben);
    const stream = await follow(space, { key });
    await stream.until('the start of the log', (events) => events.length === 2);
    await api.call('DELETE', `/v1/spaces/${space}/members/${ben}`);
    await say(space, 'now that Ben is gone');
    expect(await endsWithin(stream, 1_000)).toBe(true);
    expect(stream.events.at(-1)).toMatchObject({ type: 'member.removed', data: { entityId: ben } });

    await api.call('PUT', `/v1/spaces/${space}/members/${ben}`);
    const again = await follow(space, { key });
    const events = await again.until('the whole log, past the old removal', (all) => all.length === 5);
    expect(events.map((event) => event.type)).toEqual([
      'member.added',
      'member.added',
      'member.removed',
      'message.created',
      'member.added',
    ]);
  });

  test('is refused when a key has fifty open, until one is closed', async () => {
    const space = await make('/v1/spaces', { name: 'Many', members: [ana] });
    const { key } = await entityKey(ana);
    const open = await Promise.all(Array.from({ length: 50 }, () => follow(space, { key })));
    const refused = await api.call('GET', `/v1/spaces/${space}/events`, { key });
    expect(refused.body).toMatchObject({ status: 429, code: 'too-many-requests' });
    for (const stream of open) stream.close();
    await expect.poll(async () => (await tryStream(space, key)).status, { timeout: 3_000 }).toBe(200);
  });

  test('a reader that takes nothing keeps no one else waiting', async () => {
    const space = await make('/v1/spaces', { name: 'Stalled', members: [ana] });
    for (let turn = 0; turn < 40; turn += 1) await say(space, 'x'.repeat(32_000));
    const stalled = connect(Number(new URL(api.url).port), '127.0.0.1');
    stalled.pause();
    stalled.write(
      `GET /v1/spaces/${space}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.home.key}\r\n\r\n`,
    );
    const healthy = await follow(space);
    await healthy.until('the whole log', (events) => events.length === 41);
    await say(space, 'still alive');
    const events = await healthy.until('the newest message', (all) => all.at(-1)?.data['text'] === 'still alive');
    expect(seqs(events)).toEqual(upTo(42));
    stalled.destroy();
  });
});

async function tryStream(spaceId: string, key: string): Promise<{ status: number }> {
  const controller = new AbortController();
  const response = await fetch(`${api.url}/v1/spaces/${spaceId}/events`, {
    headers: { authorization: `Bearer ${key}` },
    signal: controller.signal,
  });
  controller.abort();
  return { status: response.status };
}
