import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, defaultModel, readConfig, VARIABLE_NAMES } from '../../src/config.ts';

const scratch = mkdtempSync(join(tmpdir(), 'wakeful-config-'));
const emptyFolder = mkdtempSync(join(scratch, 'empty-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function read(environment: NodeJS.ProcessEnv) {
  return readConfig(environment, emptyFolder);
}

function faultOf(environment: NodeJS.ProcessEnv): string {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}

test('an empty environment is enough', () => {
  const config = read({});
  expect(config).toMatchObject({ host: '127.0.0.1', port: 3000, taskQueue: 'wakeful', demo: true, logLevel: 'info' });
  expect(config.dataDir).toBe(join(emptyFolder, '.wakeful'));
  expect(config.temporal).toEqual({ address: undefined, namespace: 'default', apiKey: undefined, tls: undefined });
});

test('an empty variable counts as unset', () => {
  expect(read({ PORT: '', DATABASE_URL: ' ', WAKEFUL_API_KEY: '' })).toEqual(read({}));
});

test('all faults are named at once, one line each', () => {
  const fault = faultOf({ PORT: 'eighty', DATABASE_URL: 'mysql://x', WAKEFUL_MODEL: 'gpt', WAKEFUL_API_KEY: 'short' });
  expect(fault.split('\n')).toEqual([
    '4 settings are wrong:',
    '  PORT is not a port number; use a whole number from 0 to 65535',
    '  DATABASE_URL is not a URL that starts with postgres:// or postgresql://',
    '  WAKEFUL_API_KEY is too short for a key; use at least 16 characters',
    '  WAKEFUL_MODEL is not a model; write provider:model, such as openai:gpt-5-mini or rehearsal:demo',
  ]);
});

test('a fault never shows the value, which may be a secret', () => {
  expect(faultOf({ DATABASE_URL: 'mysql://me:hunter2@db/x', WAKEFUL_ROOT_KEY: 'tiny-secret' })).not.toMatch(
    /hunter2|tiny/,
  );
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3e3'],
  ['TEMPORAL_ADDRESS', 'http://localhost:7233'],
  ['TEMPORAL_ADDRESS', 'localhost'],
  ['TEMPORAL_TLS', 'maybe'],
  ['WAKEFUL_LOG_LEVEL', 'loud'],
  ['WAKEFUL_WORKER_CONCURRENCY', '0'],
  ['WAKEFUL_COMPATIBLE_URL', 'ftp://models'],
  ['OPENAI_BASE_URL', 'not a url'],
  ['WAKEFUL_DEMO', 'please'],
])('%s=%s is refused by name', (name, value) => {
  expect(faultOf({ [name]: value })).toMatch(new RegExp(`^One setting is wrong:\\n  ${name} is not `));
});

test('values arrive with their types', () => {
  const config = read({
    PORT: '0',
    TEMPORAL_ADDRESS: '[::1]:7233',
    TEMPORAL_TLS: 'TRUE',
    WAKEFUL_DEMO: 'no',
    WAKEFUL_WORKER_CONCURRENCY: '8',
    WAKEFUL_DATA_DIR: '/data',
    XDG_CACHE_HOME: '/cache',
  });
  expect(config).toMatchObject({
    port: 0,
    demo: false,
    workerConcurrency: 8,
    dataDir: '/data',
    cacheDir: '/cache/wakeful',
  });
  expect(config.temporal).toMatchObject({ address: '[::1]:7233', tls: true });
});

test('.env fills in what the environment leaves open, and the environment wins', () => {
  const folder = mkdtempSync(join(scratch, 'folder-'));
  writeFileSync(join(folder, '.env'), 'PORT=4000\nHOST=0.0.0.0 # all\nWAKEFUL_TASK_QUEUE="from file"\n');
  const config = readConfig({ PORT: '5000', HOST: '' }, folder);
  expect(config).toMatchObject({ port: 5000, host: '0.0.0.0', taskQueue: 'from file' });
});

test('.env.example lists exactly the variables that are read, each with a comment', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8').split('\n');
  const listed = lines.flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
  expect(listed.toSorted()).toEqual(VARIABLE_NAMES.toSorted());
  const unexplained = lines.filter((line, index) => /^[A-Z_]+=/.test(line) && !/^# .+\.$/.test(lines[index - 1] ?? ''));
  expect(unexplained).toEqual([]);
});

test('.env.example as it stands changes nothing', () => {
  const folder = mkdtempSync(join(scratch, 'folder-'));
  writeFileSync(join(folder, '.env'), readFileSync(join(import.meta.dirname, '../../.env.example')));
  const { dataDir, ...rest } = readConfig({}, folder);
  expect(dataDir).toBe(join(folder, '.wakeful'));
  expect(read({})).toMatchObject(rest);
});

describe('the default model', () => {
  test('is the rehearsal when there is no key', () => {
    expect(defaultModel(read({}))).toBe('rehearsal:demo');
  });

  test('follows the keys, and WAKEFUL_MODEL wins', () => {
    const compatible = { WAKEFUL_COMPATIBLE_URL: 'http://127.0.0.1:8080/v1' };
    const openai = { ...compatible, OPENAI_API_KEY: 'sk-x' };
    expect(defaultModel(read(compatible))).toBe('compatible:default');
    expect(defaultModel(read(openai))).toBe('openai:gpt-5-mini');
    expect(defaultModel(read({ ...openai, WAKEFUL_MODEL: 'anthropic:claude-sonnet-4-5' }))).toMatch(/^anthropic:/);
  });
});
