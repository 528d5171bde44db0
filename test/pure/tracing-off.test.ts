import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** How many files of OpenTelemetry a process has loaded once these files of ours are. */
function loadedWith(...files: string[]): number {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(join(ROOT, file)).href)});`);
  const script = `
    import { createRequire } from 'node:module';
    ${imports.join('\n')}
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    process.stdout.write(String(loaded.filter((path) => path.includes('opentelemetry')).length));
    process.exit(0);`;
  const { stdout, stderr } = spawnSync('node', ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stdout, stderr).toMatch(/^\d+$/);
  return Number(stdout);
}

test('without a collector to send to, nothing of OpenTelemetry is loaded', { timeout: 30_000 }, () => {
  expect(loadedWith('src/worker.ts', 'src/server.ts')).toBe(0);
  expect(loadedWith('src/tracing/otlp-tracing.ts')).toBeGreaterThan(0);
});
