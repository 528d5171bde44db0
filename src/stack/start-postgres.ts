import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createCluster, SUPERUSER } from './create-cluster.ts';
import { freePort } from './free-port.ts';
import { startProcess } from './managed-process.ts';
import type { ManagedProcess } from './managed-process.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { postgresUser } from './postgres-user.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';
import { stopOrphan } from './stop-orphan.ts';

const HOST = '127.0.0.1';
const USUAL_PORT = 5432;
const DATABASE = 'wakeful';
// Long on purpose: after a crash Postgres first replays its log, and killing it then only makes the next start longer.
const START_PATIENCE_MILLISECONDS = 120_000;

interface PostgresOptions {
  dataDir: string;
  progress: Progress;
  /** The port to take when it is free; 0 takes any. */
  usualPort?: number;
  /** More lines for the configuration, such as `fsync=off` in tests. */
  settings?: string[];
}

export interface StartedPostgres {
  url: string;
  address: string;
  pid: number;
  /** Settles when the server has ended, wanted or not. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the Postgres of this data folder, creating it the first time, and waits until it takes queries. */
export async function startPostgres(options: PostgresOptions): Promise<StartedPostgres> {
  const { dataDir, progress, usualPort = USUAL_PORT, settings = [] } = options;
  await mkdir(dataDir, { recursive: true });
  const binaries = await postgresBinaries();
  const user = await postgresUser(binaries.postgres, dataDir);
  const { folder, password } = await createCluster({ initdb: binaries.initdb, dataDir, user, progress });
  await stopEarlierOne(folder, progress);

  const port = await freePort(HOST, usualPort);
  if (usualPort !== 0 && port !== usualPort) progress(`port ${usualPort} is busy, Postgres takes ${port}`);
  progress('starting Postgres');
  const configuration = [`listen_addresses=${HOST}`, 'unix_socket_directories=', 'max_connections=200', ...settings];
  const [program = binaries.postgres, ...args] = [
    ...user.prefix,
    binaries.postgres,
    '-D',
    folder,
    '-p',
    String(port),
    ...configuration.flatMap((setting) => ['-c', setting]),
  ];
  const server = await startProcess({
    program,
    args,
    logFile: join(dataDir, 'postgres.log'),
    stopSignal: 'SIGINT', // fast shutdown: breaks off open transactions, writes everything committed
    forceSignal: 'SIGQUIT', // immediate: the next start replays the log
    graceMilliseconds: 10_000,
    user: user.spawnAs,
  });
  const url = `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${DATABASE}`;
  await untilReady(server, url);
  return { url, address: `${HOST}:${port}`, pid: server.pid, ended: server.ended, stop: () => server.stop() };
}

async function stopEarlierOne(folder: string, progress: Progress): Promise<void> {
  const written = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(written.split('\n')[0]);
  await stopOrphan({ name: 'Postgres', pid, mark: folder, stopSignal: 'SIGINT', forceSignal: 'SIGQUIT', progress });
}

async function untilReady(server: ManagedProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MILLISECONDS;
  let fault: string | undefined;
  void server.ended.then((how) => (fault = `ended ${how}`));
  for (;;) {
    const refusal = await tryToOpen(url);
    if (refusal === undefined) return;
    if (Date.now() > deadline) fault = `was not ready within ${START_PATIENCE_MILLISECONDS / 1000} s (${refusal})`;
    if (fault !== undefined) {
      await server.stop();
      throw new StackError(
        `Postgres ${fault}; set DATABASE_URL to use another one. Its last words:\n${server.lastLines()}`,
      );
    }
    await sleep(50);
  }
}

// Asks the database that always exists, and creates ours when this is the first start.
async function tryToOpen(url: string): Promise<string | undefined> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new Client({ connectionString: maintenance.href, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // a server that goes away again shows in the next try
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(DATABASE)}`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}
