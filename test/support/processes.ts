import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Command lines of all running processes that contain the mark, such as the data folder they were given. */
export function processesWith(mark: string): string[] {
  return allCommands().filter((command) => command.includes(mark));
}

/** Fails unless all processes with the mark have ended within a moment. */
export async function untilNoneRuns(mark: string, milliseconds = 5_000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (let left = processesWith(mark); left.length > 0; left = processesWith(mark)) {
    if (Date.now() > deadline) throw new Error(`still running after ${milliseconds} ms:\n${left.join('\n')}`);
    await sleep(25);
  }
}

function allCommands(): string[] {
  if (process.platform !== 'linux')
    return execFileSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      } catch {
        return ''; // ended while we looked
      }
    });
}
