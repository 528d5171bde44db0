import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp, refuseUndeclared } from '../../src/api/app.ts';
import type { Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/api/routes/index.ts';
import { newId } from '../../src/db/id.ts';
import { createKey, newKey } from '../../src/keys/create-key.ts';
import { startApi, type TestApi } from '../support/api.ts';

type Id = { id: string };

let api: TestApi;
let stranger: { id: string; key: string };
/** A member of no space, the member of one, and an agent in that one. */
let outsider: string;
let member: { id: string; key: string };
let agent: { id: string; key: string };
let otherHuman: string;
let spaceId: string;
let targets: Record<string, string>;

beforeAll(async () => {
  api = await startApi();
  stranger = await api.createOrganization('Stranger');
  const make = async (path: string, body: object): Promise<string> =>
    (await api.call<Id>('POST', path, { body })).body.id;
  const keyOf = async (entityId: string): Promise<string> =>
    (await api.call<{ key: string }>('POST', '/v1/keys', { body: { role: 'entity', entityId } })).body.key;
  const memberId = await make('/v1/humans', { name: 'Member' });
  const agentId = await make('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
  otherHuman = await make('/v1/humans', { name: 'Other' });
  outsider = await keyOf(await make('/v1/humans', { name: 'Outsider' }));
  member = { id: memberId, key: await keyOf(memberId) };
  agent = { id: agentId, key: await keyOf(agentId) };
  spaceId = await make('/v1/spaces', { name: 'Room', members: [memberId, agentId, otherHuman] });
  const runId = await makeRun(agentId);
  const doomed = await make('/v1/keys', { role: 'admin' });
  targets = {
    spaceId,
    agentId,
    humanId: memberId,
    entityId: otherHuman,
    keyId: doomed,
    runId,
    toolId: await make('/v1/tools', {
      name: 'ship_order',
      description: 'Ships.',
      inputSchema: { type: 'object' },
      kind: 'external',
    }),
    toolCallId: await makeOpenCall(runId),
    eventId: await makeDeadLetter(agentId),
    key: 'ana_room',
    goal: 'book-hotel',
    plan: 'morning-report',
  };
});
afterAll(() => api.close());

async function makeRun(agentId: string): Promise<string> {
  const row = {
    id: newId(),
    org_id: api.home.id,
    agent_id: agentId,
    cycle: 1,
    status: 'committed' as const,
    model: 'rehearsal:demo',
    agent_version: 1,
    prompt_hash: Buffer.alloc(32),
    inbox_message: JSON.stringify({ role: 'user', content: 'x' }),
    event_count: 1,
  };
  await api.runtime.db.insertInto('runs').values(row).execute();
  return row.id;
}

async function makeOpenCall(runId: string): Promise<string> {
  const row = {
    id: newId(),
    org_id: api.home.id,
    run_id: runId,
    step: 0,
    call_id: 'call-0',
    name: 'ship_order',
    input: '{}',
    status: 'pending' as const,
  };
  await api.runtime.db.insertInto('tool_calls').values(row).execute();
  return row.id;
}

async function makeDeadLetter(agentId: string): Promise<string> {
  const row = {
    id: newId(),
    org_id: api.home.id,
    agent_id: agentId,
    type: 'service' as const,
    status: 'dead' as const,
  };
  await api.runtime.db.insertInto('inbox_events').values(row).execute();
  return row.id;
}

const secured = ROUTES.filter((route) => route.access !== 'anyone').map((route): [string, Route] => [
  `${route.method} ${route.path}`,
  route,
]);

// Others are named by a key of the caller's own choice, and mean something of the caller's own organisation.
const isAimed = (route: Route): boolean => /:\w+Id\b/.test(route.path);
const isNamed = (route: Route): boolean => !isAimed(route) && route.path.includes('/:');
const isText = (route: Route): boolean => route.path === '/metrics'; // its own test looks at whose figures it shows
const isList = (route: Route): boolean =>
  route.method === 'get' && !isAimed(route) && !isNamed(route) && !isText(route);
const only = (choose: (route: Route) => boolean): [string, Route][] => secured.filter(([, route]) => choose(route));

function addressOf(route: Route): string {
  const query = route.path.endsWith('/recall') ? '?q=anything' : '';
  const path = route.path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    const target = targets[name];
    if (target === undefined) throw new Error(`the matrix has no ${name} to aim at; add one`);
    return target;
  });
  return path + query;
}

/** A body that would be accepted from someone who may call. */
function bodyOf(route: Route): { body?: unknown } {
  if (route.body === undefined) return {};
  return { body: route.path.endsWith('/messages') ? { senderId: member.id, text: 'Hello' } : route.example };
}

async function ask(
  route: Route,
  key: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: unknown }> {
  const answer = await api.call(route.method.toUpperCase(), addressOf(route), { key, ...bodyOf(route), headers });
  return { status: answer.status, code: answer.body['code'] };
}

describe('every route that needs a key', () => {
  test.each(secured)('%s refuses a caller without a key', async (_name, route) => {
    const answer = await api.call(route.method.toUpperCase(), addressOf(route), { key: '', ...bodyOf(route) });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(secured)('%s refuses a key that nobody made', async (_name, route) => {
    expect((await ask(route, newKey())).status).toBe(401);
  });

  test.each(only(isAimed))('%s is a 404 to another organisation', async (_name, route) => {
    expect(await ask(route, stranger.key)).toEqual({ status: 404, code: 'not-found' });
  });

  test.each(only(isList))('%s shows another organisation nothing of ours', async (_name, route) => {
    const list = await api.call<{ items: Id[] }>('GET', route.path, { key: stranger.key });
    const mine = new Set(Object.values(targets));
    expect(list.body.items.filter((item) => mine.has(item.id))).toEqual([]);
  });

  test.each(only((route) => route.access !== 'member'))('%s is not for the key of an entity', async (_name, route) => {
    for (const key of [outsider, member.key, agent.key]) {
      expect(await ask(route, key)).toEqual({ status: 403, code: 'forbidden' });
    }
  });

  test.each(only((route) => route.access === 'member' && isAimed(route)))(
    '%s is a 404 to an entity outside the space',
    async (_name, route) => {
      expect(await ask(route, outsider)).toEqual({ status: 404, code: 'not-found' });
    },
  );

  test.each(only((route) => route.access === 'member' && isList(route)))(
    '%s is empty to an entity without a space',
    async (_name, route) => {
      const list = await api.call<{ items: Id[] }>('GET', route.path, { key: outsider });
      expect(list.body.items).toEqual([]);
    },
  );

  test.each(only((route) => route.access !== 'root'))('%s does not take the root key', async (_name, route) => {
    expect((await ask(route, api.rootKey)).status).toBe(403);
  });

  test.each(only((route) => route.access === 'root'))('%s takes the root key alone', async (_name, route) => {
    expect((await ask(route, api.home.key)).status).toBe(403);
  });

  test('is covered: each one names ids, is a list, or creates something of the caller’s own', () => {
    const rest = secured.filter(([, route]) => !isAimed(route) && !isList(route) && !isText(route));
    expect(rest.every(([, route]) => route.method === 'post' || isNamed(route))).toBe(true);
  });
});

describe('the key of an entity', () => {
  test('reads the spaces it is in', async () => {
    const list = await api.call<{ items: Id[] }>('GET', '/v1/spaces', { key: member.key });
    expect(list.body.items.map((space) => space.id)).toEqual([spaceId]);
    expect((await api.call('GET', `/v1/spaces/${spaceId}`, { key: member.key })).status).toBe(200);
    expect((await api.call('GET', `/v1/spaces/${spaceId}/messages`, { key: agent.key })).status).toBe(200);
  });

  test('speaks only as itself', async () => {
    const say = (key: string, senderId: string) =>
      api.call('POST', `/v1/spaces/${spaceId}/messages`, { key, body: { senderId, text: 'Hi' } });
    expect((await say(member.key, member.id)).status).toBe(201);
    expect((await say(agent.key, agent.id)).status).toBe(201);
    expect((await say(member.key, otherHuman)).body).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await say(agent.key, member.id)).body).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test('hides a space it may not see behind the answer for one that is not there', async () => {
    const problemOf = async (key: string, id: string): Promise<object> => {
      const { requestId: _, ...rest } = (await api.call('GET', `/v1/spaces/${id}`, { key })).body;
      return JSON.parse(JSON.stringify(rest).replaceAll(id, 'ID')) as object;
    };
    const unknown = await problemOf(outsider, newId());
    expect(await problemOf(outsider, spaceId)).toEqual(unknown);
    expect(await problemOf(stranger.key, spaceId)).toEqual(unknown);
  });
});

describe('keys', () => {
  test('are refused from the moment they are revoked', async () => {
    const made = await api.call<{ id: string; key: string }>('POST', '/v1/keys', { body: { role: 'admin' } });
    expect(made.body.key).toMatch(/^wk_[A-Za-z0-9_-]{43}$/);
    expect((await api.call('GET', '/v1/spaces', { key: made.body.key })).status).toBe(200);
    expect((await api.call('DELETE', `/v1/keys/${made.body.id}`)).status).toBe(204);
    expect((await api.call('GET', '/v1/spaces', { key: made.body.key })).status).toBe(401);
    expect((await api.call('DELETE', `/v1/keys/${made.body.id}`)).status).toBe(204);
  });

  test('are kept as hashes only', async () => {
    const body = { role: 'admin' };
    const made = await api.call<{ key: string }>('POST', '/v1/keys', {
      body,
      headers: { 'idempotency-key': 'hashed' },
    });
    for (const table of ['api_keys', 'idempotency_keys'] as const) {
      const rows = await api.runtime.db.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(made.body.key);
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(made.body.key).toString('hex'));
    }
  });

  test('the last admin key of an organisation cannot be revoked', async () => {
    const keys = await api.call<{ items: Id[] }>('GET', '/v1/keys', { key: stranger.key });
    const own = keys.body.items.at(0)!.id;
    for (const other of keys.body.items.slice(1))
      await api.call('DELETE', `/v1/keys/${other.id}`, { key: stranger.key });
    expect((await api.call('DELETE', `/v1/keys/${own}`, { key: stranger.key })).status).toBe(409);
  });

  test('are taken from one Authorization header and from nowhere else', async () => {
    const { key } = api.home;
    expect((await api.call('GET', `/v1/spaces?key=${key}`, { key: '' })).status).toBe(401);
    expect((await api.call('GET', '/v1/spaces', { key: '', headers: { 'x-api-key': key } })).status).toBe(401);
    expect(
      (await api.call('GET', '/v1/spaces', { key: '', headers: { authorization: `Basic ${btoa(`x:${key}`)}` } }))
        .status,
    ).toBe(401);
    expect(
      (await api.call('GET', '/v1/spaces', { key: '', headers: { authorization: `Bearer ${'x'.repeat(8_000)}` } }))
        .status,
    ).toBe(401);
  });

  test('of a deleted agent are refused', async () => {
    const made = await api.call<Id>('POST', '/v1/agents', { body: { name: 'Gone', instructions: 'Go.' } });
    const { key } = await api.runtime.db
      .transaction()
      .execute((trx) => createKey(trx, { orgId: api.home.id, entityId: made.body.id }));
    expect((await api.call('GET', '/v1/spaces', { key })).status).toBe(200);
    await api.call('DELETE', `/v1/agents/${made.body.id}`);
    expect((await api.call('GET', '/v1/spaces', { key })).status).toBe(401);
  });

  test('the root key makes an organisation whose admin key works', async () => {
    const made = await api.call<{ adminKey: string; name: string }>('POST', '/v1/organizations', {
      key: api.rootKey,
      body: { name: 'Acme' },
    });
    expect(made.status).toBe(201);
    expect((await api.call<{ items: [] }>('GET', '/v1/agents', { key: made.body.adminKey })).body.items).toEqual([]);
  });
});

test('a route that is not declared stops the start', () => {
  const app = createApp(api.runtime);
  app.get('/v1/secrets', (_request, response) => void response.send('everything'));
  expect(() => refuseUndeclared(app, ROUTES)).toThrow('/v1/secrets is served but not in the table of routes');
});
