import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../../src/stack/free-port.ts';
import { runWakeful, type WakefulProcess } from './run-wakeful.ts';

/** What the roles of one installation have in common. */
export type Surroundings = {
  databaseUrl: string;
  temporalAddress: string;
  taskQueue: string;
  /** Base URL of a chat-completions server. */
  modelUrl: string;
};

export type ApiRole = WakefulProcess & { url: string; port: number };

const START_MS = 30_000;
// Node keeps compiled modules here: the many starts of a kill test took 2.3 s each without it, 1.5 s with it.
const COMPILE_CACHE = join(tmpdir(), 'wakeful-test-compile-cache');
// Of each role; a server that was away makes many alike.
const COMPLAINTS = 10;
const started = new Set<WakefulProcess>();

/** A worker as a process of its own, polling when this returns. It dies by itself at the crash point, if one is given. */
export async function startWorkerRole(
  place: Surroundings,
  options: { crashPoint?: string } = {},
): Promise<WakefulProcess> {
  const worker = start('src/worker.ts', place, options.crashPoint);
  await worker.says('worker ready', START_MS);
  return worker;
}

/** The API as a process of its own, answering when this returns. Given the port of one that was killed, it takes its place. */
export async function startApiRole(
  place: Surroundings,
  options: { port?: number; crashPoint?: string } = {},
): Promise<ApiRole> {
  const port = options.port ?? (await freePort('127.0.0.1', 0));
  const api = start('src/server.ts', place, options.crashPoint, { PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  const ended = api.ends(10 * START_MS).catch(() => undefined);
  const deadline = Date.now() + START_MS;
  while (!(await isReady(url))) {
    const how = await Promise.race([ended, sleep(25)]);
    if (how === undefined && Date.now() < deadline) continue;
    const { stdout, stderr } = api.output();
    throw new Error(
      `the API was not ready at ${url} (${how ?? `${START_MS} ms passed`}); it said:\n${stdout}${stderr}`,
    );
  }
  return { ...api, url, port };
}

/** As a power cut would end it. */
export async function killRole(role: WakefulProcess): Promise<void> {
  role.kill('SIGKILL');
  await role.ends();
}

/** The last warnings and errors of each role, for the message of a wait that was in vain. */
export function complaints(): string {
  return [...started]
    .flatMap((role) => {
      const { stdout, stderr } = role.output();
      const warnings = stdout.split('\n').filter((line) => /"level":[456]0/.test(line));
      return [...warnings, stderr.trim()].filter(Boolean).slice(-COMPLAINTS);
    })
    .map((line) => line.slice(0, 600))
    .join('\n');
}

export function isRunning(role: WakefulProcess): boolean {
  try {
    return process.kill(role.pid, 0);
  } catch {
    return false;
  }
}

/** For the end of a test file: nothing that it started goes on. */
export async function killAllRoles(): Promise<void> {
  await Promise.all([...started].map(killRole));
  started.clear();
}

function start(
  file: string,
  place: Surroundings,
  crashPoint: string | undefined,
  more: Record<string, string> = {},
): WakefulProcess {
  const role = runWakeful({
    file,
    environment: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: place.databaseUrl,
      TEMPORAL_ADDRESS: place.temporalAddress,
      WAKEFUL_TASK_QUEUE: place.taskQueue,
      WAKEFUL_COMPATIBLE_URL: place.modelUrl,
      WAKEFUL_MODEL: 'compatible:fake',
      WAKEFUL_MODEL_RETRY_MS: '200',
      WAKEFUL_EMBEDDING_MODEL: 'local:letters', // the sentence model would take a core from what is tested
      ...(crashPoint !== undefined && { WAKEFUL_CRASH_POINT: crashPoint }),
      ...more,
    },
  });
  started.add(role);
  return role;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false; // nobody listens yet
  }
}
