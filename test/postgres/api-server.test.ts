import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ensureAdminKey, seedDemo } from '../../src/demo.ts';
import { createLog } from '../../src/log.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { startServer } from '../../src/server.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { openStream } from '../support/sse.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { eventually } from '../support/world.ts';

describe('the server', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  test('says that it is up and ready, and describes itself, without a key', async () => {
    expect((await api.call('GET', '/healthz', { key: '' })).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/readyz', { key: '' })).body).toEqual({
      status: 'ok',
      postgres: 'ok',
      temporal: 'ok',
    });
    expect((await api.call('GET', '/openapi.json', { key: '' })).body).toMatchObject({ openapi: '3.1.0' });
    const docs = await api.call<string>('GET', '/docs', { key: '' });
    expect(docs.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(docs.body).toContain('/v1/spaces/{spaceId}/messages');
  });

  test('does not say what it is made of', async () => {
    const answer = await api.call('GET', '/healthz');
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('server')).toBeNull();
  });

  test('answers 503 with Retry-After while Postgres is away, and recovers', async () => {
    const { pool } = api.runtime.database;
    const original = pool.options.connectionString!;
    const cut = new URL(original);
    cut.port = '1';
    pool.options.connectionString = cut.href;
    await endConnections(original);
    const refused = await api.call('GET', '/v1/spaces');
    expect(refused.body).toMatchObject({ status: 503, code: 'unavailable' });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await api.call('GET', '/readyz')).body).toMatchObject({
      status: 503,
      detail: expect.stringContaining('Postgres does not answer') as string,
    });
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    pool.options.connectionString = original;
    await expect.poll(async () => (await api.call('GET', '/v1/spaces')).status, { timeout: 5_000 }).toBe(200);
  });

  async function endConnections(url: string): Promise<void> {
    const client = new Client({ connectionString: inject('databaseUrl') });
    await client.connect();
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(url).pathname.slice(1),
    ]);
    await client.end();
  }
});

test('a server that stops ends its streams and finishes the requests under way', async () => {
  const api = await startApi();
  const space = (await api.call<{ id: string }>('POST', '/v1/spaces', { body: { name: 'Room' } })).body.id;
  const stream = await openStream(api.url, `/v1/spaces/${space}/events`, api.home.key);
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = api.runtime.db.transaction().execute(async (trx) => {
    await sql`lock table entities in exclusive mode`.execute(trx);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const posting = api.call('POST', '/v1/humans', { body: { name: 'Ana' } });
  await eventually('the request is under way', 5_000, async () => {
    const { rows } = await sql`
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and relation = 'entities'::regclass and not granted`.execute(api.runtime.db);
    return rows.length > 0;
  });
  const started = Date.now();
  const closing = api.close();
  release.resolve();
  await holding;
  expect((await posting).status).toBe(201);
  await closing;
  await stream.ended;
  expect(Date.now() - started).toBeLessThan(4_000);
});

describe('the demo', () => {
  let database: TestDatabase;
  let dataDir: string;
  const runtimes: Runtime[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'wakeful-demo-'));
  });
  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) await runtime.close();
  });
  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function open(environment: Record<string, string> = {}): Promise<Runtime> {
    const runtime = await openRuntime({
      config: readConfig({ PORT: '0', WAKEFUL_DATA_DIR: dataDir, ...environment }, dataDir),
      databaseUrl: database.url,
      temporalAddress: inject('temporalAddress'),
      log: createLog('silent'),
    });
    runtimes.push(runtime);
    return runtime;
  }

  test('is made once, by two processes that start together, and found again later', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    const seeded = await Promise.all([seedDemo(one), seedDemo(two)]);
    expect(seeded.filter((demo) => demo?.created)).toHaveLength(1);
    expect(seeded[0]?.spaceId).toBe(seeded[1]?.spaceId);
    expect(seeded[0]?.apiKey).toBe(seeded[1]?.apiKey);
    const later = await seedDemo(await open());
    expect(later).toEqual({ ...seeded[0], created: false });
    expect((await stat(join(dataDir, 'api-key'))).mode & 0o777).toBe(0o600);
    expect((await readFile(join(dataDir, 'api-key'), 'utf8')).trim()).toBe(later?.apiKey);
  });

  test('can be used with the key it gives', async () => {
    const runtime = await open();
    const demo = await seedDemo(runtime);
    const server = await startServer(runtime, { withConsole: false });
    const headers = { authorization: `Bearer ${demo!.apiKey}`, 'content-type': 'application/json' };
    const space = (await (await fetch(`${server.url}/v1/spaces/${demo!.spaceId}`, { headers })).json()) as {
      name: string;
      members: { name: string }[];
    };
    expect(space.name).toBe('Lobby');
    expect(space.members.map((member) => member.name).toSorted()).toEqual(['Ada', 'Ana', 'Ben']);
    const body = JSON.stringify({ senderId: demo!.humanId, text: 'Hello Ada' });
    const posted = await fetch(`${server.url}/v1/spaces/${demo!.spaceId}/messages`, { method: 'POST', headers, body });
    expect(posted.status).toBe(201);
    await server.close();
  });

  test('accepts a chosen key beside the made one, and registers it in the same organisation', async () => {
    const made = await ensureAdminKey(await open());
    const chosen = await ensureAdminKey(await open({ WAKEFUL_API_KEY: 'chosen-by-the-operator' }));
    expect(chosen).toEqual({ apiKey: 'chosen-by-the-operator', orgId: made.orgId });
  });

  test('makes a new key when the kept one was revoked', async () => {
    const runtime = await open();
    const first = await ensureAdminKey(runtime);
    await runtime.db.updateTable('api_keys').set({ revoked_at: new Date() }).execute();
    const second = await ensureAdminKey(runtime);
    expect(second.orgId).toBe(first.orgId);
    expect(second.apiKey).not.toBe(first.apiKey);
  });
});
