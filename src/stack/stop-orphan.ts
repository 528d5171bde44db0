import { setTimeout as sleep } from 'node:timers/promises';
import { describeProcess } from './describe-process.ts';
import type { Progress } from './stack-error.ts';

// Postgres writes a checkpoint before it goes; after this long it is told to go without.
const PATIENCE_MILLISECONDS = 15_000;

interface Orphan {
  name: string;
  pid: number;
  /** What the command line of the real one must contain; a pid alone may belong to somebody else by now. */
  mark: string;
  stopSignal: NodeJS.Signals;
  forceSignal: NodeJS.Signals;
  progress: Progress;
}

/** Ends a server that outlived its `npm start`, in good order so that nothing it accepted is lost. */
export async function stopOrphan({ name, pid, mark, stopSignal, forceSignal, progress }: Orphan): Promise<void> {
  const description = await describeProcess(pid);
  if (description === undefined || !description.includes(mark)) return;
  progress(`stopping the ${name} that an earlier start left behind (process ${pid})`);
  send(pid, stopSignal);
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  while ((await describeProcess(pid)) === description) {
    if (Date.now() > deadline) send(pid, forceSignal);
    await sleep(50);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ESRCH: it went by itself
  }
}
