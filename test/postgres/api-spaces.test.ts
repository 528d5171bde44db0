import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';

type Id = { id: string };
type Message = { id: string; seq: number; text: string; senderName: string };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function create(path: string, body: object): Promise<string> {
  const answer = await api.call<Id>('POST', path, { body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

describe('spaces and messages', () => {
  test('a message reaches the space, its log and the inbox of every other agent', async () => {
    const ana = await create('/v1/humans', { name: '  Ana ' });
    const ada = await create('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
    const ben = await create('/v1/agents', { name: 'Ben', instructions: 'Be brief.' });
    const space = await create('/v1/spaces', { name: 'Room', members: [ana, ada, ben] });

    const posted = await api.call<Message>('POST', `/v1/spaces/${space}/messages`, {
      body: { senderId: ana, text: 'Hello\n😀' },
    });
    expect(posted.body).toMatchObject({ seq: 1, text: 'Hello\n😀', senderName: 'Ana' });
    const fromAda = await api.call<Message>('POST', `/v1/spaces/${space}/messages`, {
      body: { senderId: ada, text: 'Hi' },
    });
    expect(fromAda.body.seq).toBe(2);

    const list = await api.call<{ items: Message[]; next: number | null }>('GET', `/v1/spaces/${space}/messages`);
    expect(list.body.items.map((message) => message.text)).toEqual(['Hello\n😀', 'Hi']);
    const inboxOf = async (agent: string): Promise<string[]> => {
      const inbox = await api.call<{ items: { message: { text: string } }[] }>('GET', `/v1/agents/${agent}/inbox`);
      return inbox.body.items.map((event) => event.message.text);
    };
    expect(await inboxOf(ada)).toEqual(['Hello\n😀']);
    expect(await inboxOf(ben)).toEqual(['Hi', 'Hello\n😀']);
  });

  test('members come and go once, and the log tells each change once', async () => {
    const ana = await create('/v1/humans', { name: 'Ana' });
    const space = await create('/v1/spaces', { name: 'Door' });
    const path = `/v1/spaces/${space}/members/${ana}`;
    for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE', 'PUT'])
      expect((await api.call(method, path)).status).toBe(204);
    await api.call('PATCH', `/v1/spaces/${space}`, { body: { name: 'Gate' } });
    await api.call('PATCH', `/v1/spaces/${space}`, { body: { name: 'Gate' } });

    const log = await api.runtime.db
      .selectFrom('space_events')
      .select(['seq', 'type'])
      .where('space_id', '=', space)
      .orderBy('seq')
      .execute();
    expect(log).toEqual([
      { seq: 1, type: 'member.added' },
      { seq: 2, type: 'member.removed' },
      { seq: 3, type: 'member.added' },
      { seq: 4, type: 'space.updated' },
    ]);
    const found = await api.call<{ name: string; members: Id[] }>('GET', `/v1/spaces/${space}`);
    expect(found.body).toMatchObject({ name: 'Gate', members: [{ id: ana, name: 'Ana', kind: 'human' }] });
  });

  test('someone who is not a member cannot be spoken for', async () => {
    const ana = await create('/v1/humans', { name: 'Ana' });
    const space = await create('/v1/spaces', { name: 'Closed' });
    const refused = await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: ana, text: 'Hello?' } });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'agent-not-member' });
  });

  test('sixteen posters at once get one gap-free order', async () => {
    const ana = await create('/v1/humans', { name: 'Ana' });
    const space = await create('/v1/spaces', { name: 'Market', members: [ana] });
    const poster = async (poster: number): Promise<number[]> => {
      const seqs: number[] = [];
      for (let turn = 0; turn < 10; turn += 1) {
        const answer = await api.call<Message>('POST', `/v1/spaces/${space}/messages`, {
          body: { senderId: ana, text: `${poster}.${turn}` },
        });
        seqs.push(answer.body.seq);
      }
      return seqs;
    };
    const seqs = (await Promise.all(Array.from({ length: 16 }, (_, index) => poster(index)))).flat();
    expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
  });

  test('messages are paged forwards, backwards and between', async () => {
    const ana = await create('/v1/humans', { name: 'Ana' });
    const space = await create('/v1/spaces', { name: 'Book', members: [ana] });
    for (let seq = 1; seq <= 7; seq += 1)
      await api.call('POST', `/v1/spaces/${space}/messages`, { body: { senderId: ana, text: `${seq}` } });
    const page = async (query: string): Promise<[number[], number | null]> => {
      const answer = await api.call<{ items: Message[]; next: number | null }>(
        'GET',
        `/v1/spaces/${space}/messages?${query}`,
      );
      return [answer.body.items.map((message) => message.seq), answer.body.next];
    };
    expect(await page('limit=3')).toEqual([[1, 2, 3], 3]);
    expect(await page('limit=3&after=3')).toEqual([[4, 5, 6], 6]);
    expect(await page('limit=3&after=6')).toEqual([[7], null]);
    expect(await page('limit=3&before=9007199254740991')).toEqual([[5, 6, 7], 5]);
    expect(await page('limit=3&before=5')).toEqual([[2, 3, 4], 2]);
    expect(await page('limit=3&before=2')).toEqual([[1], null]);
    expect(await page('after=2&before=5')).toEqual([[3, 4], null]);
  });

  test('every list is paged to its end without loss or repetition', async () => {
    const stranger = await api.createOrganization('Paging');
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const answer = await api.call<Id>('POST', '/v1/humans', { key: stranger.key, body: { name: `Human ${index}` } });
      made.push(answer.body.id);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: { body: { items: Id[]; next: string | null } } = await api.call('GET', `/v1/humans?limit=3${query}`, {
        key: stranger.key,
      });
      seen.push(...page.body.items.map((human) => human.id));
      cursor = page.body.next;
    }
    expect(seen).toEqual(made.toSorted());
  });
});
