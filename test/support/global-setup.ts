import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../../src/config.ts';
import { findTemporal } from '../../src/stack/find-temporal.ts';
import { startPostgres } from '../../src/stack/start-postgres.ts';
import { startTemporal } from '../../src/stack/start-temporal.ts';
import { createTemplate } from './template-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the shared server, for administration only; tests make their own from the template. */
    databaseUrl: string;
    templateDatabase: string;
    temporalAddress: string;
  }
}

interface SharedServers {
  databaseUrl: string;
  templateDatabase: string;
  temporalAddress: string;
  close(): Promise<void>;
}

interface Shared {
  servers: Promise<SharedServers>;
  users: number;
}

// Vitest runs this once per project, in one process but with modules of their own; the servers are for all of them.
const place = globalThis as typeof globalThis & { wakefulTestServers?: Shared };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (place.wakefulTestServers ??= { servers: startServers(), users: 0 });
  shared.users += 1;
  const servers = await shared.servers;
  project.provide('databaseUrl', servers.databaseUrl);
  project.provide('templateDatabase', servers.templateDatabase);
  project.provide('temporalAddress', servers.temporalAddress);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete place.wakefulTestServers;
    await servers.close();
  };
}

async function startServers(): Promise<SharedServers> {
  const { databaseUrl, temporal, cacheDir } = readConfig();
  const dataDir = await mkdtemp(join(tmpdir(), 'wakeful-test-'));
  const closers: (() => Promise<void>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse()) await closer();
  };
  const progress = (): void => undefined;

  const openPostgres = async (): Promise<string> => {
    if (databaseUrl !== undefined) return databaseUrl;
    // Without waiting for the disk: these databases need not outlive the machine.
    const settings = ['fsync=off', 'full_page_writes=off'];
    const started = await startPostgres({ dataDir, progress, usualPort: 0, settings });
    closers.push(() => started.stop());
    return started.url;
  };
  const openTemporal = async (): Promise<string> => {
    if (temporal.address !== undefined) return temporal.address;
    const binary = await findTemporal({ cacheDir, progress });
    const started = await startTemporal({ binary, dataDir, progress, inMemory: true });
    closers.push(() => started.stop());
    return started.address;
  };

  const [postgres, address] = await Promise.allSettled([openPostgres(), openTemporal()]);
  if (postgres.status === 'rejected' || address.status === 'rejected') {
    await close();
    throw postgres.status === 'rejected' ? postgres.reason : (address as PromiseRejectedResult).reason;
  }
  const template = await createTemplate(postgres.value);
  closers.push(() => template.drop());
  return { databaseUrl: postgres.value, templateDatabase: template.name, temporalAddress: address.value, close };
}
