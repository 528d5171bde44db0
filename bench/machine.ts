import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** Figures mean nothing without the machine they were taken on. */
export function describeMachine(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return [
    `commit ${commit()} · Node ${process.version} · ${cpus().length} cores (${first?.model.trim() ?? 'unknown'}) · ${memory}`,
    `load before the run ${loadavg()[0]!.toFixed(2)}`,
  ].join(' · ');
}

function commit(): string {
  try {
    const hash = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain') !== '' ? `${hash} with changes` : hash;
  } catch {
    return 'unknown';
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
