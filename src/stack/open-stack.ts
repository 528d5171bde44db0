import { mkdir } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { checkDatabase, checkTemporal } from './check-servers.ts';
import { Closers } from './closers.ts';
import { findTemporal } from './find-temporal.ts';
import { portIsFree } from './free-port.ts';
import { keepRunning } from './keep-running.ts';
import { lockDataDir } from './lock-data-dir.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';
import { startPostgres } from './start-postgres.ts';
import { startTemporal } from './start-temporal.ts';
import type { StartedTemporal } from './start-temporal.ts';

export interface Stack {
  databaseUrl: string;
  temporal: { address: string; uiUrl: string | undefined };
  /** Settles with a sentence when a server of ours has ended and cannot be brought back. */
  broken: Promise<string>;
  close(): Promise<void>;
}

/** Brings up what Wakeful stands on: the Postgres and Temporal the user named, or else our own in the data folder. */
export async function openStack(config: Config, progress: Progress): Promise<Stack> {
  // What fails without having started anything comes first.
  await checkPort(config);
  const { address } = config.temporal;
  await Promise.all([
    config.databaseUrl === undefined ? undefined : checkDatabase(config.databaseUrl),
    address === undefined ? undefined : checkTemporal({ ...config.temporal, address }),
  ]);

  const closers = new Closers();
  try {
    await makeDataDir(config.dataDir);
    closers.push(await lockDataDir(config.dataDir));
    return await openServers(config, progress, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function openServers(config: Config, progress: Progress, closers: Closers): Promise<Stack> {
  const { dataDir, cacheDir } = config;
  const lost: Promise<string>[] = [];

  const postgres = async (): Promise<string> => {
    if (config.databaseUrl !== undefined) return config.databaseUrl;
    const kept = await keepRunning({
      name: 'Postgres',
      progress,
      start: (address) => startPostgres({ dataDir, progress, ...(address && { usualPort: portOf(address) }) }),
    });
    closers.push(() => kept.stop());
    lost.push(kept.ended);
    return kept.server.url;
  };
  const temporal = async (): Promise<Stack['temporal']> => {
    const { address: given, namespace } = config.temporal;
    if (given !== undefined) return { address: given, uiUrl: undefined };
    const binary = await findTemporal({ cacheDir, progress });
    let ports: { server: number; ui: number } | undefined;
    const start = async (): Promise<StartedTemporal> => {
      const started = await startTemporal({ binary, dataDir, progress, namespace, ...(ports && { ports }) });
      ports ??= started.ports;
      return started;
    };
    const kept = await keepRunning({ name: 'Temporal', progress, start });
    closers.push(() => kept.stop());
    lost.push(kept.ended);
    return { address: kept.server.address, uiUrl: kept.server.uiUrl };
  };

  const [database, server] = await Promise.allSettled([postgres(), temporal()]);
  if (database.status === 'rejected') throw database.reason;
  if (server.status === 'rejected') throw server.reason;
  let closing = false;
  return {
    databaseUrl: database.value,
    temporal: server.value,
    broken: new Promise((resolve) => {
      for (const ended of lost) {
        void ended.then((sentence) => {
          if (!closing) resolve(`${sentence}; its log is in ${dataDir}.`);
        });
      }
    }),
    close: () => {
      closing = true;
      return closers.close();
    },
  };
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

async function checkPort({ host, port }: Config): Promise<void> {
  let free: boolean;
  try {
    free = await portIsFree(host, port);
  } catch (error) {
    throw new StackError(
      `Cannot listen on port ${port} of ${host}: ${(error as Error).message}; set HOST and PORT to an address of this machine and a port that you may use.`,
      { cause: error },
    );
  }
  if (!free) {
    throw new StackError(`Port ${port} on ${host} is in use; stop the other program or set PORT to another port.`);
  }
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
  } catch (error) {
    throw new StackError(
      `The data folder ${dataDir} cannot be made (${(error as NodeJS.ErrnoException).code}); set WAKEFUL_DATA_DIR to a folder you may write to.`,
      { cause: error },
    );
  }
}
