import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { bundleWorkflowCode } from '@temporalio/worker';
import { describe, expect, onTestFinished, test } from 'vitest';

import { findBreaches } from '../support/boundaries.ts';
import { readSourceTree } from '../support/source-tree.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the workflow bundle', () => {
  test('contains workflow files and nothing else of ours', { timeout: 30_000 }, async () => {
    const bundled = await ownModules(join(ROOT, 'workflows/index.ts'));
    const written = [...readSourceTree(ROOT, ['workflows']).keys()];
    expect(bundled.toSorted()).toEqual(written.toSorted());
  });

  test('would show a query file that slipped in, which the SDK itself lets pass', { timeout: 30_000 }, async () => {
    // Inside the tree, so that the bundler finds the SDK from there.
    const folder = mkdtempSync(join(ROOT, 'node_modules/.wakeful-boundary-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const query = join(ROOT, 'src/spaces/lock-space.ts');
    writeFileSync(join(folder, 'index.ts'), `export * from ${JSON.stringify(query)};\n`);
    expect(await ownModules(join(folder, 'index.ts'))).toContain('src/spaces/lock-space.ts');
  });
});

test('values point down, workflows stand alone, and nothing runs in a circle', async () => {
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const tree = readSourceTree(ROOT, ['src', 'activities', 'workflows']);
  expect(tree.size).toBeGreaterThan(50);
  expect(findBreaches(tree, new Set(Object.keys(dependencies)))).toEqual([]);
});

describe('the checker', () => {
  const check = (files: Record<string, string>): string[] =>
    findBreaches(new Map(Object.entries(files)), new Set(['pg', '@temporalio/workflow']));

  test('lets every step down pass, and types in any direction', () => {
    const files = {
      'src/main.ts': "import { app } from './api/app.ts';\nconsole.log(app);",
      'src/api/app.ts': "import { tool } from '../tools/tool.ts';\nexport const app = tool;",
      'src/tools/tool.ts': "import {\n  post,\n} from '../spaces/post.ts';\nexport const tool = post;",
      'src/spaces/post.ts': [
        "import type { tool } from '../tools/tool.ts';",
        "import { type app } from '../api/app.ts';",
        "export type { agent } from '../../workflows/agent.ts';",
        "// import { app } from '../api/app.ts';",
        "import { append } from '../stream/append.ts';",
        "import 'pg';",
      ].join('\n'),
      'src/stream/append.ts': "import { id } from '../db/id.ts';\nexport const append = id;",
      'src/db/id.ts': "import { fault } from '../errors.ts';\nimport { createHash } from 'node:crypto';",
      'src/errors.ts': '',
      'workflows/agent.ts':
        "import { sleep } from '@temporalio/workflow';\nimport type { A } from '../activities/index.ts';",
      'workflows/contract.ts': '',
    };
    expect(check(files)).toEqual([]);
  });

  test.each([
    [
      'a noun that uses a tool',
      { 'src/spaces/a.ts': "export { b } from '../tools/b.ts';", 'src/tools/b.ts': '' },
      'nouns may not use values of tools',
    ],
    [
      'the database that uses a noun',
      { 'src/db/a.ts': "import { b } from '../spaces/b.ts';", 'src/spaces/b.ts': '' },
      'db may not use values of nouns',
    ],
    [
      'anyone who uses a run file',
      { 'src/api/a.ts': "import { b } from '../runtime.ts';", 'src/runtime.ts': '' },
      'values of run files',
    ],
    [
      'a dynamic import upwards',
      { 'src/db/a.ts': "void import('../api/b.ts');", 'src/api/b.ts': '' },
      'src/db/a.ts imports src/api/b.ts',
    ],
    [
      'the API that uses an activity',
      { 'src/api/a.ts': "import { b } from '../../activities/b.ts';", 'activities/b.ts': '' },
      'side by side',
    ],
    [
      'a noun that uses workflow code',
      { 'src/spaces/a.ts': "import { b } from '../../workflows/agent.ts';", 'workflows/agent.ts': '' },
      'src/spaces/a.ts imports workflows/agent.ts',
    ],
    [
      'a workflow that uses a query',
      { 'workflows/a.ts': "import { b } from '../src/db/b.ts';", 'src/db/b.ts': '' },
      'workflows use values of workflows/',
    ],
    ['a workflow that uses a package', { 'workflows/a.ts': "import { sql } from 'pg';" }, 'workflows/a.ts imports pg'],
    [
      'a development package at run time',
      { 'src/api/a.ts': "import { build } from 'vite';" },
      '"dependencies" of package.json',
    ],
    [
      'a circle',
      { 'src/a/a.ts': "import '../b/b.ts';", 'src/b/b.ts': "import '../a/a.ts';" },
      'src/a/a.ts → src/b/b.ts → src/a/a.ts',
    ],
    [
      'a second reader of the environment',
      { 'src/api/a.ts': 'const port = process.env.PORT;' },
      'src/api/a.ts reads process.env',
    ],
    [
      'a reader of the environment by another name',
      { 'activities/a.ts': "import { env } from 'node:process';" },
      'activities/a.ts reads process.env',
    ],
    ['a word on the console', { 'src/api/a.ts': "console.warn('hm');" }, 'src/api/a.ts writes to the console'],
  ])('reports %s', (_what, files, sentence) => {
    expect(check(files)).toEqual([expect.stringContaining(sentence)]);
  });
});

/** The modules of a workflow bundle that are neither packages nor the bundler's own, from its source map. */
async function ownModules(workflowsPath: string): Promise<string[]> {
  const silent = () => undefined;
  const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  const encoded = /sourceMappingURL=data:application\/json;[^,]*base64,(?<map>[\w+/=]+)\s*$/.exec(code)?.groups?.[
    'map'
  ];
  if (encoded === undefined) throw new Error('the workflow bundle has no inline source map to list its modules from');
  const { sources } = JSON.parse(Buffer.from(encoded, 'base64').toString()) as { sources: string[] };
  return sources
    .filter((source) => source.startsWith(`${ROOT}/`) && !source.includes('/node_modules/'))
    .map((source) => source.slice(ROOT.length + 1))
    .filter((source) => !source.endsWith('-autogenerated-entrypoint.cjs'));
}
