import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORKFLOWS = join(ROOT, 'workflows');

/**
 * The workflow code as Temporal runs it. Bundling takes the better part of a second of each start, so the result is kept
 * under a name made of what went into it: the workflow files and the SDK's version.
 */
export async function workflowBundle(folder = join(ROOT, 'dist')): Promise<WorkflowBundleOption> {
  const codePath = join(folder, `workflows-${await fingerprint()}.cjs`);
  if (existsSync(codePath)) return { codePath };
  const logger = new DefaultLogger('WARN'); // what webpack made of which module is nobody's concern
  const { code } = await bundleWorkflowCode({ workflowsPath: join(WORKFLOWS, 'index.ts'), logger });
  try {
    await mkdir(folder, { recursive: true });
    const draft = `${codePath}.${process.pid}`;
    await writeFile(draft, code);
    await rename(draft, codePath); // a start beside this one finds all of it or none
    return { codePath };
  } catch {
    return { code }; // a read-only installation bundles at each start
  }
}

async function fingerprint(): Promise<string> {
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  const hash = createHash('sha256').update(version);
  for (const name of (await readdir(WORKFLOWS)).toSorted())
    hash.update(name).update(await readFile(join(WORKFLOWS, name)));
  return hash.digest('hex').slice(0, 16);
}
