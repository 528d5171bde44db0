import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openStack } from '../../src/stack/open-stack.ts';
import type { Stack } from '../../src/stack/open-stack.ts';
import { processesWith, untilNoneRuns } from '../support/processes.ts';
import { runWakeful } from '../support/run-wakeful.ts';

let folder: string;
let environment: Record<string, string>;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wakeful-servers-'));
  environment = { PORT: '0', WAKEFUL_DATA_DIR: join(folder, 'data') };
  lines = [];
});

afterEach(async () => {
  await untilNoneRuns(folder);
  await rm(folder, { recursive: true, force: true });
});

function open(): Promise<Stack> {
  const { XDG_CACHE_HOME } = process.env;
  return openStack(readConfig({ ...environment, XDG_CACHE_HOME }, folder), (line) => lines.push(line));
}

async function query(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function withTemporal<Result>(
  address: string,
  act: (client: TemporalClient) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address });
  try {
    return await act(new TemporalClient({ connection }));
  } finally {
    await connection.close();
  }
}

// No worker is needed: a workflow that nobody runs is kept all the same.
async function leaveTraces({ databaseUrl, address }: { databaseUrl: string; address: string }): Promise<void> {
  await query(databaseUrl, `create table trace as select 'kept' as word`);
  const options = { taskQueue: 'nobody', workflowId: 'trace', args: [] };
  await withTemporal(address, (client) => client.workflow.start('nothing', options));
}

async function expectTraces({ databaseUrl, address }: { databaseUrl: string; address: string }): Promise<void> {
  expect(await query(databaseUrl, 'select word from trace')).toEqual([{ word: 'kept' }]);
  const trace = await withTemporal(address, (client) => client.workflow.getHandle('trace').describe());
  expect(trace.status.name).toBe('RUNNING');
}

function occupy(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined)); // taken by somebody else: as good
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

test('servers take a free port when theirs is busy, say which, and keep their data between two starts', async () => {
  const occupied = await Promise.all([5432, 7233, 8233].map(occupy));
  try {
    const first = await open();
    expect(lines).toContainEqual(expect.stringMatching(/^port 5432 is busy, Postgres takes \d+$/));
    expect(lines).toContainEqual(expect.stringMatching(/^port 7233 is busy, Temporal takes \d+$/));
    expect(lines).toContainEqual(expect.stringMatching(/^port 8233 is busy, the Temporal Web UI takes \d+$/));
    expect((await fetch(String(first.temporal.uiUrl))).status).toBe(200);
    await leaveTraces({ databaseUrl: first.databaseUrl, address: first.temporal.address });
    await first.close();
    expect(processesWith(folder)).toEqual([]);

    const second = await open();
    await expectTraces({ databaseUrl: second.databaseUrl, address: second.temporal.address });
    await second.close();
  } finally {
    for (const server of occupied) server?.close();
  }
});

test('the database is UTF-8, waits for the disk, and listens on this machine only', async () => {
  const stack = await open();
  const names = ['server_encoding', 'fsync', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories'];
  const rows = await query(
    stack.databaseUrl,
    `select ${names.map((name) => `current_setting('${name}') as ${name}`).join()}`,
  );
  await stack.close();
  expect(rows).toEqual([
    {
      server_encoding: 'UTF8',
      fsync: 'on',
      synchronous_commit: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
    },
  ]);
});

test('after kill -9 of its parent the next start takes over, with all data', async () => {
  const parent = runWakeful({ file: 'test/support/hold-stack.ts', environment });
  const opened = JSON.parse(await parent.says('\n')) as { databaseUrl: string; address: string };
  await leaveTraces(opened);

  await expect(open()).rejects.toThrow(`as process ${parent.pid}; stop that one or set WAKEFUL_DATA_DIR`);

  parent.kill('SIGKILL');
  expect(await parent.ends()).toBe('SIGKILL');
  expect(processesWith(folder).length, 'servers outlive their parent').toBeGreaterThanOrEqual(2);

  const stack = await open();
  expect(lines).toContainEqual(expect.stringMatching(/^stopping the Postgres that an earlier start left behind/));
  expect(lines).toContainEqual(expect.stringMatching(/^stopping the Temporal that an earlier start left behind/));
  await expectTraces({ databaseUrl: stack.databaseUrl, address: stack.temporal.address });
  await stack.close();
});

test('a server that is killed comes back at the same address, with all data', async () => {
  const stack = await open();
  const where = { databaseUrl: stack.databaseUrl, address: stack.temporal.address };
  await leaveTraces(where);
  const [{ pid }] = (await query(
    stack.databaseUrl,
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  )) as [{ pid: number }];
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await expectTraces(where);
      break;
    } catch (error) {
      if (Date.now() > deadline) throw new Error('Postgres did not come back within 20 s', { cause: error });
      await sleep(100);
    }
  }
  expect(lines).toContain('Postgres ended by SIGKILL; starting it again');
  await stack.close();
});
