import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeProcess } from './describe-process.ts';
import { StackError } from './stack-error.ts';

interface Holder {
  pid: number;
  description: string;
}

/** Makes this process the only one on a data folder, until the release it hands back is called. */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const lock = join(dataDir, 'lock');
  const mine = JSON.stringify({ pid: process.pid, description: (await describeProcess(process.pid)) ?? '' });
  // Written whole, then linked into place: no other process can ever read half a lock.
  const draft = `${lock}.${process.pid}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    while (!(await linked(draft, lock))) await removeStale(lock, dataDir);
  } finally {
    await rm(draft, { force: true });
  }
  return () => rm(lock, { force: true });
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(lock: string, dataDir: string): Promise<void> {
  const text = await readFile(lock, 'utf8').catch(() => undefined);
  if (text === undefined) return; // its holder has just left
  const holder = readHolder(text);
  if (holder !== undefined && (await describeProcess(holder.pid)) === holder.description) {
    throw new StackError(
      `Wakeful already runs on ${dataDir} as process ${holder.pid}; stop that one or set WAKEFUL_DATA_DIR to another folder.`,
    );
  }
  // Moved aside first: if another start replaced the stale lock in the meantime, its lock is put back.
  const aside = `${lock}.stale.${process.pid}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => text);
  if (moved !== text) await linked(aside, lock);
  await rm(aside, { force: true });
}

function readHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}
