import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { pino } from 'pino';

import { readConfig } from '../src/config.ts';
import { migrateAt } from '../src/db/migrate.ts';
import { createOrganization } from '../src/organizations/create-organization.ts';
import { openRuntime, type Runtime } from '../src/runtime.ts';
import { Closers } from '../src/stack/closers.ts';
import { freePort } from '../src/stack/free-port.ts';
import { openStack } from '../src/stack/open-stack.ts';
import { startBare, type Bare } from './bare.ts';

export type Bench = { runtime: Runtime; orgId: string; url: string; bare: Bare; close(): Promise<void> };

const START_PATIENCE_MS = 60_000;

/**
 * Servers of its own in a folder of its own, set up as `npm start` does, and the API and the worker as processes of
 * their own, as they run for real: what is measured shares no event loop with the one who measures.
 */
export async function openBench(say: (line: string) => void, settings: Record<string, string> = {}): Promise<Bench> {
  const closers = new Closers();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'wakeful-bench-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const port = String(await freePort('127.0.0.1', 0));
    // The working folder is the bench's, so that nobody's .env changes what is measured.
    const environment = {
      ...process.env,
      DATABASE_URL: '',
      TEMPORAL_ADDRESS: '',
      WAKEFUL_DATA_DIR: folder,
      PORT: port,
    };
    const quiet = {
      ...environment,
      WAKEFUL_LOG_LEVEL: 'warn',
      WAKEFUL_TASK_QUEUE: 'wakeful',
      WAKEFUL_DEMO: 'false',
      ...settings,
    };
    const config = readConfig(quiet, folder);

    const stack = await openStack(config, say);
    closers.push(() => stack.close());
    await migrateAt(stack.databaseUrl);

    const named = { ...quiet, DATABASE_URL: stack.databaseUrl, TEMPORAL_ADDRESS: stack.temporal.address };
    const worker = await startWorker(named, folder, closers);
    const url = await startApi(named, folder, closers);

    const runtime = await openRuntime({
      config,
      databaseUrl: stack.databaseUrl,
      temporalAddress: stack.temporal.address,
      log: pino({ level: 'warn' }),
    });
    closers.push(() => runtime.close());
    const organization = await runtime.db.transaction().execute((trx) => createOrganization(trx, 'Bench'));
    const bare = await startBare(runtime.client, worker);
    return { runtime, orgId: organization.id, url, bare, close: () => closers.close() };
  } catch (error) {
    await closers.close().catch(() => undefined); // the fault that broke the start is the one to show
    throw error;
  }
}

async function startWorker(environment: NodeJS.ProcessEnv, folder: string, closers: Closers): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  closers.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.disconnect();
    await ended;
  });
  const ready = once(child, 'message', { signal: AbortSignal.timeout(START_PATIENCE_MS) });
  await Promise.race([
    ready,
    ended.then(() => Promise.reject(new Error('the worker ended before it was ready; its log is above'))),
  ]);
  return child;
}

async function startApi(environment: NodeJS.ProcessEnv, folder: string, closers: Closers): Promise<string> {
  const program = fileURLToPath(new URL('../src/server.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  closers.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${environment['PORT']}`;
  const deadline = Date.now() + START_PATIENCE_MS;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('the API ended before it was ready; its log is above');
    if (Date.now() > deadline)
      throw new Error(`the API did not answer ${url}/healthz within ${START_PATIENCE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return url;
}

async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`).catch(() => undefined);
  return answer?.ok === true;
}
