/** `npm run record-histories`: plays every scene and writes what Temporal recorded, for the replay test of later releases. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Client } from '@temporalio/client';

import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { createLog } from '../src/log.ts';
import { Closers } from '../src/stack/closers.ts';
import { findTemporal } from '../src/stack/find-temporal.ts';
import { startPostgres } from '../src/stack/start-postgres.ts';
import { startTemporal } from '../src/stack/start-temporal.ts';
import { installTemporalLogging } from '../src/stack/temporal-logging.ts';
import { statusQuery } from '../workflows/contract.ts';
import { toHistoryFile, type History } from './history-file.ts';
import { scenes, type Scene } from './history-scenes.ts';
import { openRecordingRoom, until, type Servers } from './recording-room.ts';

const ROOT = join(import.meta.dirname, '..');

installTemporalLogging(createLog('error')); // activities fail in some scenes, as they should
const closers = new Closers();
try {
  const servers = await openServers(closers);
  const folder = join(ROOT, 'test/histories', await release());
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, scene] of Object.entries(scenes)) {
    const histories = await record(servers, name, scene);
    for (const [index, history] of histories.entries()) {
      const file = histories.length === 1 ? `${name}.json` : `${name}-${index + 1}.json`;
      await writeFile(join(folder, file), anonymous(history));
      process.stdout.write(`${file}: ${history.events?.length ?? 0} events\n`);
    }
  }
} finally {
  await closers.close();
}

/** The histories of the scene's workflow, one per run of it, oldest first. */
async function record(servers: Servers, name: string, scene: Scene): Promise<History[]> {
  const model = scene.model();
  const room = await openRecordingRoom(servers, name, model, scene.options ?? {});
  try {
    await scene.play(room, model);
    await room.settled();
    await until(`the agent of ${name} sleeps`, async () => (await room.handle.query(statusQuery)).status === 'asleep');
    return await historiesOf(room.runtime.client, (await scene.workflowId?.(room)) ?? room.handle.workflowId);
  } finally {
    await room.close();
  }
}

async function historiesOf(client: Client, workflowId: string): Promise<History[]> {
  const histories: History[] = [];
  let runId: string | undefined = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (runId !== undefined) {
    const history: History = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.unshift(history);
    runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return histories;
}

/** Replay looks at none of this, and where a release was recorded is nobody's business. */
function anonymous(history: History): string {
  const here = `${process.pid}@${hostname()}`;
  return toHistoryFile(history)
    .replaceAll(here, 'recorder')
    .replaceAll(/("stackTrace": )"(?:[^"\\]|\\.)*"/g, '$1""');
}

async function openServers(opened: Closers): Promise<Servers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wakeful-record-'));
  opened.push(() => rm(dataDir, { recursive: true, force: true }));
  const progress = (): void => undefined;
  const postgres = await startPostgres({ dataDir, progress, usualPort: 0, settings: ['fsync=off'] });
  opened.push(() => postgres.stop());
  const binary = await findTemporal({ cacheDir: readConfig().cacheDir, progress });
  const temporal = await startTemporal({ binary, dataDir, progress, inMemory: true });
  opened.push(() => temporal.stop());
  const database = openDatabase(postgres.url, { max: 1 });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  return { databaseUrl: postgres.url, temporalAddress: temporal.address };
}

async function release(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return version;
}
