import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isId, newId } from '../../src/db/id.ts';

const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('an id is a UUID of version 7 that carries the moment of its birth', () => {
  fc.assert(
    fc.property(moment, (now) => {
      const id = newId(now);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
      expect(isId(id)).toBe(true);
    }),
  );
});

test('ids of different milliseconds sort by birth', () => {
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      fc.pre(one < other);
      expect(newId(one) < newId(other)).toBe(true);
    }),
  );
});

test('ten thousand ids of one millisecond are all different', () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => newId(1_700_000_000_000)));
  expect(ids.size).toBe(10_000);
});

test.each([
  '',
  'x',
  '01890a5d-ac96-774b-bcce-b302099a805',
  '01890A5D-AC96-774B-BCCE-B302099A8057',
  ' 01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a8057\n',
])('%j is no id', (text) => {
  expect(isId(text)).toBe(false);
});
