import { execFile } from 'node:child_process';

/** Why a command did not do its work: it is missing on this machine, or it failed and said so. */
export interface CommandFault {
  missing: boolean;
  message: string;
}

export type CommandResult = { output: string; fault?: undefined } | { fault: CommandFault };

interface CommandOptions {
  timeoutMilliseconds?: number;
  user?: { uid: number; gid: number } | undefined;
}

/** Runs a short command to its end and hands back what it printed, or the fault; it never throws. */
export function runCommand(program: string, args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { timeoutMilliseconds = 10_000, user } = options;
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: timeoutMilliseconds, ...user }, (error, stdout, stderr) => {
      process.removeListener('exit', end);
      if (error === null) return resolve({ output: stdout });
      const said = stderr.trim().split('\n').at(-1);
      resolve({ fault: { missing: error.code === 'ENOENT', message: said || error.message } });
    });
    // A start that is broken off leaves no half-done download running.
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
  });
}
