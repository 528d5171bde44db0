import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';

import { fromHistoryFile } from '../../scripts/history-file.ts';
import { scenes } from '../../scripts/history-scenes.ts';

const FOLDER = join(import.meta.dirname, '../histories');
const files = globSync('*/*.json', { cwd: FOLDER }).toSorted();
const logger = new DefaultLogger('ERROR');

let today: WorkflowBundleWithSourceMap;
let broken: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  [today, broken] = await Promise.all([bundle('../../workflows/index.ts'), bundle('../support/broken-workflow.ts')]);
}, 60_000);

describe('an agent that an earlier release left behind lives on under today’s workflow code', () => {
  test.each(files)('%s replays', async (file) => {
    await expect(replay(today, file)).resolves.toBeUndefined();
  });
});

test('every scene is recorded for the current release', () => {
  const { version } = JSON.parse(readFileSync(join(FOLDER, '../../package.json'), 'utf8')) as { version: string };
  const recorded = files.flatMap((file) =>
    file.startsWith(`${version}/`) ? [file.replace(/(-\d)?\.json$/, '').slice(version.length + 1)] : [],
  );
  expect([...new Set(recorded)]).toEqual(Object.keys(scenes).toSorted());
});

test('a workflow whose commands come in another order is refused', async () => {
  const file = files.find((name) => name.endsWith('/one-cycle.json'))!;
  await expect(replay(broken, file)).rejects.toThrow(DeterminismViolationError);
});

function bundle(path: string): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL(path, import.meta.url)), logger });
}

function replay(workflowBundle: WorkflowBundleWithSourceMap, file: string): Promise<void> {
  return Worker.runReplayHistory({ workflowBundle }, fromHistoryFile(readFileSync(join(FOLDER, file), 'utf8')));
}
