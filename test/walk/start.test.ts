import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processesWith, untilNoneRuns } from '../support/processes.ts';
import { runWakeful } from '../support/run-wakeful.ts';
import { sharedPostgres, sharedTemporal } from '../support/stack.ts';
import { createTestDatabase } from '../support/test-database.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wakeful-start-'));
});

afterEach(async () => {
  await untilNoneRuns(folder);
  await rm(folder, { recursive: true, force: true });
});

async function refusedStart(environment: Record<string, string>): Promise<string> {
  const wakeful = runWakeful({ environment: { WAKEFUL_DATA_DIR: join(folder, 'data'), ...environment } });
  expect(await wakeful.ends()).toBe(1);
  expect(processesWith(folder), 'processes left running').toEqual([]);
  const { stderr } = wakeful.output();
  expect(stderr, 'a sentence, not a stack').not.toMatch(/^\s+at /m);
  return stderr.trim();
}

describe('a start that cannot succeed says why in one sentence and leaves nothing behind', () => {
  test('bad variables are listed together', async () => {
    const sentence = await refusedStart({ PORT: 'http', TEMPORAL_ADDRESS: 'nowhere' });
    expect(sentence).toBe(
      [
        '2 settings are wrong:',
        '  PORT is not a port number; use a whole number from 0 to 65535',
        '  TEMPORAL_ADDRESS is not an address; write host:port, such as localhost:7233',
      ].join('\n'),
    );
  });

  test('a port in use is named', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const sentence = await refusedStart({ PORT: String(port) });
    other.close();
    expect(sentence).toBe(`Port ${port} on 127.0.0.1 is in use; stop the other program or set PORT to another port.`);
  });

  test('an unreachable Postgres is named by its host, without the password', async () => {
    const sentence = await refusedStart({ DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/books' });
    expect(sentence).toMatch(
      /^Postgres at 127\.0\.0\.1:1 \(database books\) cannot be used: .*ECONNREFUSED.*DATABASE_URL/,
    );
    expect(sentence).not.toContain('hunter2');
    expect(sentence).not.toContain('\n');
  });

  test('a wrong password for Postgres is not repeated', async () => {
    const url = new URL(sharedPostgres());
    url.password = 'hunter2';
    const sentence = await refusedStart({ DATABASE_URL: url.href });
    expect(sentence).toContain('password authentication failed');
    expect(sentence).not.toContain('hunter2');
  });

  test('an unreachable Temporal is named', async () => {
    const sentence = await refusedStart({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(sentence).toMatch(/^Temporal at 127\.0\.0\.1:1 \(namespace default\) cannot be used: .*TEMPORAL_ADDRESS/);
    expect(sentence).not.toContain('\n');
  });

  test('without Temporal, without the internet and without Python it says what to install', async () => {
    const emptyPath = join(folder, 'bin');
    await mkdir(emptyPath);
    const sentence = await refusedStart({
      PATH: emptyPath,
      XDG_CACHE_HOME: join(folder, 'cache'),
      DATABASE_URL: sharedPostgres(),
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      https_proxy: 'http://127.0.0.1:1',
    });
    expect(sentence).toMatch(/^There is no Temporal server to use: the download from temporal\.download failed \(.+\)/);
    expect(sentence).toContain('Python 3, the other way to get it, is not installed');
    expect(sentence).toContain('Install the Temporal CLI');
    expect(sentence).toContain('TEMPORAL_ADDRESS');
    expect(sentence).not.toContain('\n');
  });

  test('a Temporal that dies early is quoted, and the Postgres started beside it is stopped', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const script = '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "disk is full" >&2\nexit 3\n';
    await writeFile(join(bin, 'temporal'), script, { mode: 0o755 });
    const sentence = await refusedStart({ PATH: `${bin}:${process.env['PATH']}` });
    expect(sentence).toBe(
      'The Temporal server ended with code 3; set TEMPORAL_ADDRESS to use another one. Its last words:\ndisk is full',
    );
  });
});

test('a start with named servers opens neither, and the first signal stops it in good order', async () => {
  const database = await createTestDatabase();
  const wakeful = runWakeful({
    environment: {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: sharedTemporal(),
      WAKEFUL_DATA_DIR: join(folder, 'data'),
      WAKEFUL_TASK_QUEUE: 'start-with-named-servers',
    },
  });
  const said = await wakeful.says('Wakeful is awake.');
  expect(said).not.toMatch(/starting (Postgres|Temporal)/);
  expect(processesWith(folder)).toEqual([]);
  wakeful.kill('SIGTERM');
  expect(await wakeful.ends()).toBe(0);
  expect(wakeful.output().stdout).toContain('stopped; all data is kept');
  await expect(readFile(join(folder, 'data', 'lock'))).rejects.toThrow('ENOENT');
  await database.drop();
});

test('a start with nothing named brings up everything, and SIGINT takes all of it down', async () => {
  const wakeful = runWakeful({ environment: { WAKEFUL_DATA_DIR: join(folder, 'data') } });
  const said = await wakeful.says('Wakeful is awake.');
  const api = /API +(http\S+)\/v1/.exec(said)?.[1];
  expect(processesWith(folder)).not.toEqual([]);
  const health = await fetch(`${api}/healthz`);
  expect(health.status).toBe(200);
  wakeful.kill('SIGINT');
  wakeful.kill('SIGINT'); // as npm passes it on: still the same wish
  expect(await wakeful.ends()).toBe(0);
});

test('a signal during the start leaves nothing running', async () => {
  const wakeful = runWakeful({ environment: { WAKEFUL_DATA_DIR: join(folder, 'data') } });
  await wakeful.says('starting Temporal');
  wakeful.kill('SIGTERM');
  expect(await wakeful.ends()).toBe(0);
});

test('a second signal, a moment after the first, stops at once', async () => {
  const dataDir = join(folder, 'data');
  const wakeful = runWakeful({ environment: { WAKEFUL_DATA_DIR: dataDir } });
  await wakeful.says('Wakeful is awake.');
  const temporal = Number(await readFile(join(dataDir, 'temporal.pid'), 'utf8'));
  process.kill(temporal, 'SIGSTOP'); // a server that does not listen makes the good order last
  wakeful.kill('SIGTERM');
  await wakeful.says('stopping; press Ctrl-C again');
  await sleep(1_100);
  const asked = Date.now();
  wakeful.kill('SIGTERM');
  expect(await wakeful.ends()).toBe(1);
  expect(Date.now() - asked).toBeLessThan(1_000);
});
