import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';

// A log that was allowed to grow this far is started anew; nobody reads further back.
const LOG_LIMIT_BYTES = 10_000_000;
const LINES_QUOTED = 5;

export interface ManagedProcess {
  pid: number;
  /** Settles when the program has ended, with how it ended. Never rejects. */
  ended: Promise<string>;
  /** The last lines it wrote since this start, for an error message. */
  lastLines(): string;
  stop(): Promise<void>;
}

interface ProcessOptions {
  program: string;
  args: string[];
  logFile: string;
  /** Asks the program to end in good order. */
  stopSignal: NodeJS.Signals;
  /** Ends it when it has not listened for `graceMilliseconds`, or when this process leaves without having asked. */
  forceSignal: NodeJS.Signals;
  graceMilliseconds: number;
  user?: { uid: number; gid: number } | undefined;
}

const running = new Map<ChildProcess, NodeJS.Signals>();

process.on('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/** Starts a program that lives as long as we want it to, and no longer than this process can help. */
export function startProcess(options: ProcessOptions): Promise<ManagedProcess> {
  const firstByte = logSize(options.logFile);
  const log = openSync(options.logFile, firstByte === 0 ? 'w' : 'a', 0o600);
  // Detached: its own process group, so that Ctrl-C in the terminal reaches us alone and we close in the right order.
  const child = spawn(options.program, options.args, {
    detached: true,
    stdio: ['ignore', log, log],
    ...options.user,
  });
  closeSync(log);
  running.set(child, options.forceSignal);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `with code ${code}` : `by ${signal}`));
    child.once('error', (error) => resolve(`before it began: ${error.message}`));
  }).finally(() => running.delete(child));

  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      const { pid } = child;
      if (pid === undefined) return;
      resolve({
        pid,
        ended,
        lastLines: () => tail(options.logFile, firstByte),
        stop: () => stop(child, ended, options),
      });
    });
  });
}

async function stop(child: ChildProcess, ended: Promise<string>, options: ProcessOptions): Promise<void> {
  if (!running.has(child)) return;
  child.kill(options.stopSignal);
  const force = setTimeout(() => child.kill(options.forceSignal), options.graceMilliseconds);
  const kill = setTimeout(() => child.kill('SIGKILL'), options.graceMilliseconds * 2);
  await ended;
  clearTimeout(force);
  clearTimeout(kill);
}

function logSize(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size > LOG_LIMIT_BYTES ? 0 : size;
}

function tail(file: string, firstByte: number): string {
  const lines = readFileSync(file).subarray(firstByte).toString('utf8').trim().split('\n');
  return lines.slice(-LINES_QUOTED).join('\n');
}
