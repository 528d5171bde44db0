import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { findTemporal } from '../../src/stack/find-temporal.ts';
import { freePort } from '../../src/stack/free-port.ts';
import { startPostgres, type StartedPostgres } from '../../src/stack/start-postgres.ts';
import { startTemporal, type StartedTemporal } from '../../src/stack/start-temporal.ts';

/** `kill` takes it away at once, `start` brings it back at the same address with its data. */
export type Killable = { kill(): Promise<void>; start(): Promise<void> };

export type KillableServers = {
  databaseUrl: string;
  temporalAddress: string;
  temporal: Killable;
  postgres: Killable;
  stop(): Promise<void>;
};

const progress = (): void => undefined;

/** A Temporal and a Postgres that keep their data in the folder and are nobody else's, so that a test may kill them. */
export async function startKillableServers(folder: string): Promise<KillableServers> {
  const [temporal, postgres] = await Promise.all([
    keepTemporal(join(folder, 'temporal')),
    keepPostgres(join(folder, 'postgres')),
  ]);
  const database = openDatabase(postgres.current().url, { max: 1 });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  return {
    databaseUrl: postgres.current().url,
    temporalAddress: temporal.current().address,
    temporal,
    postgres,
    async stop() {
      await Promise.all([temporal.current().stop(), postgres.current().stop()]);
    },
  };
}

async function keepTemporal(dataDir: string): Promise<Killable & { current(): StartedTemporal }> {
  const binary = await findTemporal({ cacheDir: readConfig().cacheDir, progress });
  const ports = { server: await freePort('127.0.0.1', 0), ui: await freePort('127.0.0.1', 0) };
  return keep(() => startTemporal({ binary, dataDir, ports, progress }), 'SIGKILL');
}

// SIGQUIT is Postgres' own immediate shutdown: nothing is written any more, the next start recovers from the log. SIGKILL
// would leave its backends serving for a while, and be a test of that instead.
async function keepPostgres(dataDir: string): Promise<Killable & { current(): StartedPostgres }> {
  await mkdir(dataDir, { recursive: true, mode: 0o755 });
  const usualPort = await freePort('127.0.0.1', 0);
  return keep(() => startPostgres({ dataDir, usualPort, progress }), 'SIGQUIT');
}

async function keep<Server extends { address: string; pid: number; ended: Promise<string> }>(
  start: () => Promise<Server>,
  signal: NodeJS.Signals,
): Promise<Killable & { current(): Server }> {
  let server = await start();
  return {
    current: () => server,
    async kill() {
      process.kill(server.pid, signal);
      await server.ended;
    },
    async start() {
      const { address } = server;
      server = await start();
      if (server.address !== address)
        throw new Error(`${address} was taken by another program; the server is at ${server.address}`);
    },
  };
}
