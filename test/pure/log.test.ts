import { expect, test } from 'vitest';
import { readableLine } from '../../src/log.ts';

test('a person sees one line with time, level, message and fields', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const line = readableLine(
    JSON.stringify({ level: 40, time, pid: 1, hostname: 'h', msg: 'model\nslow', agentId: 'a1', tries: 2 }),
  );
  expect(line).toBe('03:04:05 WARN  model slow agentId=a1 tries=2');
});

test('an error keeps its stack, below the line', () => {
  const line = readableLine(
    JSON.stringify({ level: 50, time: 0, msg: 'cycle failed', err: { stack: 'Error: no\n    at x' } }),
  );
  expect(line).toMatch(/ERROR cycle failed\nError: no\n {4}at x$/);
});
