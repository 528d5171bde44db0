import { readFile } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

/**
 * When a process began and with which command line, or nothing when no such process lives.
 * The same pid with another description is another process: the system reuses pids.
 */
export async function describeProcess(pid: number): Promise<string | undefined> {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'linux') return describeFromProc(pid);
  const listed = await runCommand('ps', ['-ww', '-o', 'lstart=,command=', '-p', String(pid)]);
  return listed.fault === undefined && listed.output.trim() !== '' ? listed.output.trim() : undefined;
}

// Slim images have no `ps`; /proc is always there.
async function describeFromProc(pid: number): Promise<string | undefined> {
  try {
    const [status, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    // The name in brackets may hold spaces, so count from its end: state is field 3, the start time field 22.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return `${fields[19]} ${command.replaceAll('\0', ' ').trim()}`;
  } catch {
    return undefined;
  }
}
