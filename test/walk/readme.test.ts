import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { startWholeStack, type WholeStack } from '../support/whole-stack.ts';

let stack: WholeStack;
let folder: string;
beforeAll(async () => {
  stack = await startWholeStack();
  folder = await mkdtemp(join(tmpdir(), 'wakeful-readme-'));
});
afterAll(async () => {
  await stack.close();
  await rm(folder, { recursive: true });
});

test('the commands of the README get an answer from Ada', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const scripts = [...readme.matchAll(/<!-- run by test\/walk\/readme\.test\.ts -->\n```bash\n([\s\S]*?)```/g)];
  expect(scripts).toHaveLength(2);
  const script = scripts.map(([, lines]) => lines).join('');
  await mkdir(join(folder, '.wakeful'));
  await writeFile(join(folder, '.wakeful/api-key'), stack.apiKey);
  const commands = `set -e\n${script.replace('http://127.0.0.1:3000', stack.url)}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', commands], { cwd: folder });
  expect(stdout).toContain('"senderName":"Ada"');
  expect(stdout).toContain('I am a rehearsal');
  expect(stdout).toContain('"cron":"0 9 * * MON-FRI"');
  expect(stdout).toMatch(/"kind":"cycle".*Hello Ada/);
});

test('every file the README links to is there', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const links = [...readme.matchAll(/\]\((?!https?:)(?<path>[^)]+)\)/g)].map((match) => match.groups!.path!);
  expect(links.length).toBeGreaterThan(8);
  for (const link of links) await readFile(new URL(`../../${link}`, import.meta.url));
});
