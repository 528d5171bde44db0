import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../..');

export interface WakefulProcess {
  pid: number;
  output(): { stdout: string; stderr: string };
  /** Waits for a text on stdout; a process that ends first, or takes too long, fails with everything it said. */
  says(text: string | RegExp, milliseconds?: number): Promise<string>;
  /** Waits for its end and hands back the exit code, or the signal that ended it. */
  ends(milliseconds?: number): Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

interface RunOptions {
  /** Relative to the repository. */
  file?: string;
  /** The whole environment beside PATH and HOME, so that a developer's own variables do not reach the test. */
  environment: Record<string, string>;
}

/** Runs one of the run files as a process of its own. */
export function runWakeful({ file = 'src/main.ts', environment }: RunOptions): WakefulProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, file)], {
    cwd: ROOT,
    env: { PATH, HOME, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const closed = once(child, 'close');
  return {
    pid: child.pid ?? 0,
    output: () => said,
    says: (text, milliseconds = 60_000) => untilSaid(child, said, text, milliseconds),
    ends: async (milliseconds = 30_000) => {
      const tooLong = sleep(milliseconds, undefined, { ref: false }).then(() => {
        child.kill('SIGKILL');
        throw new Error(`${file} did not end within ${milliseconds} ms; it said:\n${said.stdout}${said.stderr}`);
      });
      await Promise.race([closed, tooLong]);
      return child.exitCode ?? child.signalCode ?? -1;
    },
    kill: (signal) => void child.kill(signal),
  };
}

async function untilSaid(
  child: ChildProcess,
  said: { stdout: string; stderr: string },
  text: string | RegExp,
  milliseconds: number,
): Promise<string> {
  const deadline = Date.now() + milliseconds;
  while (!(typeof text === 'string' ? said.stdout.includes(text) : text.test(said.stdout))) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadline) {
      const why = ended ? 'it ended' : `${milliseconds} ms passed`;
      throw new Error(`waited for ${text} on stdout, but ${why}; it said:\n${said.stdout}${said.stderr}`);
    }
    await sleep(25);
  }
  return said.stdout;
}
