import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';

const SOURCES = import.meta.dirname;
const BUILT = resolve(SOURCES, '../../dist/web');
const HASH_FILE = '.source-hash';

/** Builds the console page into `outDir`, replacing what is there. */
export async function buildConsole({ outDir }: { outDir: string }): Promise<void> {
  // A process of its own: Vite sets NODE_ENV for everyone in its process, and under NODE_ENV=test it would
  // bundle React's slow development build. It also takes its memory with it when it is done.
  const script = join(SOURCES, 'vite-build.ts');
  const child = spawn(process.execPath, [script, resolve(outDir)], {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done));
  if (code !== 0) throw new Error(`the console page could not be built (${script} ended with ${code}):\n${output}`);
}

/**
 * The folder of a console page that matches its sources, built first when needed. Without Vite (an install without
 * development packages) an older page is better than none; with neither, undefined.
 */
export async function ensureConsole({ outDir = BUILT } = {}): Promise<string | undefined> {
  const [wanted, built] = await Promise.all([hashSources(), readHash(outDir)]);
  if (wanted === built) return outDir;
  if (!hasVite()) return built === undefined ? undefined : outDir;

  // Built aside and moved into place, so that another process never serves half a page.
  await mkdir(dirname(outDir), { recursive: true });
  const aside = await mkdtemp(join(dirname(outDir), `${basename(outDir)}-`));
  try {
    await buildConsole({ outDir: join(aside, 'new') });
    await writeFile(join(aside, 'new', HASH_FILE), wanted);
    await rename(outDir, join(aside, 'old')).catch(ignoreMissing);
    await rename(join(aside, 'new'), outDir);
  } catch (fault) {
    // Two processes that start together both build the same page; the one that comes second finds it in place.
    if ((await readHash(outDir)) !== wanted) throw fault;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return outDir;
}

async function hashSources(): Promise<string> {
  const entries = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    hash.update(`${relative(SOURCES, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex');
}

async function readHash(folder: string): Promise<string | undefined> {
  return (await readFile(join(folder, HASH_FILE), 'utf8').catch(ignoreMissing)) ?? undefined;
}

function hasVite(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch {
    return false;
  }
}

function ignoreMissing(fault: unknown): undefined {
  if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
  return undefined;
}
