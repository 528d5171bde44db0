import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { ROUTES } from '../../src/api/routes/index.ts';
import type { Route } from '../../src/api/route.ts';
import { readConfig } from '../../src/config.ts';
import { createKey } from '../../src/keys/create-key.ts';
import { createLog } from '../../src/log.ts';
import { createOrganization } from '../../src/organizations/create-organization.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { startServer } from '../../src/server.ts';
import { createTestDatabase } from './test-database.ts';

export type CallOptions = {
  key?: string;
  body?: unknown;
  rawBody?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};
export type Answer<Body> = { status: number; headers: Headers; body: Body };
export type Organization = { id: string; key: string };

export interface TestApi {
  url: string;
  runtime: Runtime;
  rootKey: string;
  /** One organisation with its admin key; `call` uses that key unless told otherwise. */
  home: Organization;
  call<Body = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<Answer<Body>>;
  /** Another organisation, to be a stranger with. */
  createOrganization(name: string): Promise<Organization>;
  close(): Promise<void>;
}

export const ROOT_KEY = 'root-key-of-the-api-tests';

/** The API on a free port, over a database of its own and the shared Temporal server. */
export async function startApi(): Promise<TestApi> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'wakeful-api-'));
  const environment = {
    PORT: '0',
    WAKEFUL_DATA_DIR: dataDir,
    WAKEFUL_ROOT_KEY: ROOT_KEY,
    WAKEFUL_EMBEDDING_MODEL: 'local:letters',
    WAKEFUL_TASK_QUEUE: `api-${database.url.slice(-12)}`,
  };
  const runtime = await openRuntime({
    config: readConfig(environment, dataDir),
    databaseUrl: database.url,
    temporalAddress: inject('temporalAddress'),
    log: createLog('silent'),
  });
  const server = await startServer(runtime, { withConsole: false });
  const organize = (name: string): Promise<Organization> => makeOrganization(runtime, name);
  const home = await organize('Home');
  return {
    url: server.url,
    runtime,
    rootKey: ROOT_KEY,
    home,
    call: (method, path, options = {}) => call(server.url, method, path, { key: home.key, ...options }),
    createOrganization: organize,
    async close() {
      await server.close();
      await runtime.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function makeOrganization(runtime: Runtime, name: string): Promise<Organization> {
  return runtime.db.transaction().execute(async (trx) => {
    const { id } = await createOrganization(trx, name);
    const { key } = await createKey(trx, { orgId: id });
    return { id, key };
  });
}

/** One request. A JSON answer of a declared route must be what the route declares, to the last field. */
async function call<Body>(url: string, method: string, path: string, options: CallOptions): Promise<Answer<Body>> {
  const headers: Record<string, string> = {
    ...(options.key !== undefined && options.key !== '' && { authorization: `Bearer ${options.key}` }),
    ...(options.body !== undefined && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  if (response.ok) checkAnswer(method, path, response.status, parsed);
  return { status: response.status, headers: response.headers, body: parsed as Body };
}

function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const route = findRoute(method, path);
  if (route?.answer === undefined) return;
  expect(status, `${method} ${path}`).toBe(route.status);
  const parsed = route.answer.safeParse(body);
  expect(parsed.error?.issues ?? [], `${method} ${path} answers what it declares`).toEqual([]);
}

export function findRoute(method: string, path: string): Route | undefined {
  const [address = ''] = path.split('?');
  return ROUTES.find(
    (route) =>
      route.method === method.toLowerCase() && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(address),
  );
}
