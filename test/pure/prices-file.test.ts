import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { ConfigError, readConfig } from '../../src/config.ts';
import { costOf } from '../../src/models/model-facts.ts';
import { createModels } from '../../src/models/models.ts';

const folder = mkdtempSync(join(tmpdir(), 'wakeful-prices-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function modelsWith(prices: unknown) {
  writeFileSync(join(folder, 'prices.json'), JSON.stringify(prices));
  return createModels(readConfig({ WAKEFUL_PRICES_FILE: 'prices.json' }, folder));
}

function faultOf(text: string): string {
  writeFileSync(join(folder, 'bad.json'), text);
  return faultOfFile('bad.json');
}

function faultOfFile(name: string, more: NodeJS.ProcessEnv = {}): string {
  try {
    readConfig({ WAKEFUL_PRICES_FILE: name, ...more }, folder);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the file was accepted');
}

test('a prices file replaces what is known of a model and tells what is not', () => {
  const { facts } = modelsWith({
    'openai:gpt-5': { price: { input: 100, output: 200 } },
    'compatible:mine': { price: { input: 1, output: 2, cacheRead: 0.5 }, contextWindow: 8_000, continuations: 3 },
  });
  expect(facts('openai:gpt-5')).toMatchObject({ price: { input: 100, output: 200 }, contextWindow: 400_000 });
  expect(facts('compatible:mine-7b')).toEqual({
    price: { input: 1, output: 2, cacheRead: 0.5 },
    contextWindow: 8_000,
    continuations: 3,
  });
  expect(facts('compatible:other').price).toBeUndefined();
});

test('of two names in the file the longer one that fits wins', () => {
  const { facts } = modelsWith({
    'openai:': { price: { input: 9, output: 9 } },
    'openai:gpt-5-mini': { price: { input: 1, output: 1 } },
  });
  expect(facts('openai:gpt-5-mini-2026').price).toEqual({ input: 1, output: 1 });
  expect(facts('openai:gpt-5').price).toEqual({ input: 9, output: 9 });
});

test('cached input is paid at its own price, and an unknown price costs nothing', () => {
  const usage = { inputTokens: 1_000_000, cacheReadTokens: 600_000, cacheWriteTokens: 100_000, outputTokens: 500_000 };
  expect(costOf(usage, { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 })).toBeCloseTo(0.6 + 0.12 + 0.25 + 5);
  expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo(7);
  expect(costOf(usage, undefined)).toBe(0);
});

test.each([
  [
    '{ "openai:gpt-5": { "price": { "input": "1", "output": 2 } } }',
    /is wrong at openai:gpt-5 → price → input: .*number/,
  ],
  ['{ "openai:gpt-5": { "price": { "input": -1, "output": 2 } } }', /is wrong at openai:gpt-5 → price → input: /],
  ['{ "openai:gpt-5": { "price": { "input": 1 } } }', /is wrong at openai:gpt-5 → price → output: /],
  ['{ "openai:gpt-5": { "cost": 1 } }', /is wrong at openai:gpt-5: .*cost/],
  ['{ "gpt-5": {} }', /is wrong at gpt-5: is not a model or the beginning of one, such as openai:gpt-5$/],
  ['[]', /is wrong at its top: /],
  ['{ "openai:', /is not JSON: /],
])('%s is refused in one sentence that names the file and the place', (text, sentence) => {
  const [heading, fault, ...rest] = faultOf(text).split('\n');
  expect(heading).toBe('One setting is wrong:');
  expect(fault).toContain(`WAKEFUL_PRICES_FILE names ${join(folder, 'bad.json')}, which `);
  expect(fault).toMatch(sentence);
  expect(rest).toEqual([]);
});

test('a file that is not there is named among the other faults', () => {
  expect(faultOfFile('none.json', { PORT: 'x' }).split('\n')).toEqual([
    '2 settings are wrong:',
    expect.stringContaining('PORT is not a port number'),
    `  WAKEFUL_PRICES_FILE names ${join(folder, 'none.json')}, which cannot be read (ENOENT)`,
  ]);
});

test('headers for a collector are read as OpenTelemetry writes them', () => {
  const { tracing } = readConfig(
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS: 'a=b=c, key=Bearer%20x' },
    folder,
  );
  expect(tracing).toEqual({
    endpoint: 'http://127.0.0.1:4318',
    headers: { a: 'b=c', key: 'Bearer x' },
    content: false,
  });
  expect(readConfig({ WAKEFUL_TRACE_CONTENT: 'true' }, folder).tracing).toBeUndefined();
});
