import { expect, test } from 'vitest';
import { Closers } from '../../src/stack/closers.ts';

test('what was opened last is closed first, all of it, and the first fault is reported', async () => {
  const closed: string[] = [];
  const closers = new Closers();
  closers.push(() => void closed.push('database'));
  closers.push(() => Promise.reject(new Error('worker hangs')));
  closers.push(() => void closed.push('server'));
  await expect(closers.close()).rejects.toThrow('worker hangs');
  expect(closed).toEqual(['server', 'database']);
  await closers.close(); // nothing left to do
  expect(closed).toHaveLength(2);
});
