import { randomBytes } from 'node:crypto';

import { pino } from 'pino';

import { readConfig } from '../../src/config.ts';
import { openDatabase, type Db } from '../../src/db/open-database.ts';
import { openRuntime } from '../../src/runtime.ts';
import { startServer } from '../../src/server.ts';
import { startFakeModelServer, type FakeModelServer, type Script } from './fake-model-server.ts';
import type { Surroundings } from './roles.ts';
import { sharedTemporal } from './stack.ts';
import { createTestDatabase } from './test-database.ts';

export type Stage = {
  place: Surroundings;
  db: Db;
  model: FakeModelServer;
  close(): Promise<void>;
};

/** Where kill tests play: a database, a task queue and a model of the test's own. Roles are the test's to start and to kill. */
export async function openStage(
  script: Script,
  servers: { databaseUrl?: string; temporalAddress?: string } = {},
): Promise<Stage> {
  const closers: (() => Promise<void>)[] = [];
  const made = servers.databaseUrl === undefined ? await createTestDatabase() : undefined;
  if (made !== undefined) closers.push(() => made.drop());
  const databaseUrl = made?.url ?? servers.databaseUrl!;
  const model = await startFakeModelServer(script);
  closers.push(() => model.close());
  const database = openDatabase(databaseUrl, { max: 4 });
  closers.push(() => database.close());
  const place = {
    databaseUrl,
    temporalAddress: servers.temporalAddress ?? sharedTemporal(),
    taskQueue: `test-${randomBytes(6).toString('hex')}`,
    modelUrl: model.url,
  };
  return {
    place,
    db: database.db,
    model,
    async close() {
      for (const closer of closers.reverse()) await closer();
    },
  };
}

/** The API in the test's own process, for tests that kill something else: no start to wait for. */
export async function openApi({ place }: Stage): Promise<{ url: string; close(): Promise<void> }> {
  const environment = { PORT: '0', WAKEFUL_TASK_QUEUE: place.taskQueue, WAKEFUL_LOG_LEVEL: 'silent' };
  const runtime = await openRuntime({ config: readConfig(environment), ...place, log: pino({ level: 'silent' }) });
  const server = await startServer(runtime, { withConsole: false });
  return {
    url: server.url,
    async close() {
      await server.close();
      await runtime.close();
    },
  };
}
