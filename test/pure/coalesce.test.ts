import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createCoalescer } from '../../src/stream/coalesce.ts';
import { split } from '../support/split.ts';

function coalesce(deltas: string[]): { pieces: string[]; rest: string } {
  const coalescer = createCoalescer();
  const pieces = deltas.flatMap((delta) => coalescer.push(delta));
  return { pieces, rest: coalescer.rest() };
}

// Words of every length, with what separates them; long runs without a space as code and other scripts have them.
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 });
const prose = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.lorem({ maxCount: 8 }) }, { weight: 1, arbitrary: word }))
  .map((words) => words.join(' '));
const lengths = fc.infiniteStream(fc.integer({ min: 0, max: 100 }));

test('the pieces join to the text, whatever the deltas', () => {
  fc.assert(
    fc.property(fc.oneof(prose, fc.string({ unit: 'binary' })), lengths, (text, cuts) => {
      const { pieces, rest } = coalesce(split(text, cuts));
      expect([...pieces, rest].join('')).toBe(text);
    }),
  );
});

test('each piece but the last has 36 to 72 characters', () => {
  fc.assert(
    fc.property(prose, lengths, (text, cuts) => {
      const { pieces, rest } = coalesce(split(text, cuts));
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThanOrEqual(36);
        expect(piece.length).toBeLessThanOrEqual(72);
      }
      expect(rest.length).toBeLessThan(72);
    }),
  );
});

test('a piece ends behind a space unless a single run is too long for it', () => {
  fc.assert(
    fc.property(prose, lengths, (text, cuts) => {
      const { pieces } = coalesce(split(text, cuts));
      const cut = pieces.filter((piece) => !/\s$/.test(piece));
      expect(cut.filter((piece) => !/^\S{36,37}$/.test(piece.slice(35)))).toEqual([]);
    }),
  );
});

test('no piece ends within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400, size: 'max' }), lengths, (text, cuts) => {
      const { pieces, rest } = coalesce(split(text, cuts));
      expect([...pieces, rest].filter((piece) => !piece.isWellFormed())).toEqual([]);
    }),
  );
});

test('the rest is handed out once', () => {
  const coalescer = createCoalescer();
  expect(coalescer.push('Hello')).toEqual([]);
  expect(coalescer.rest()).toBe('Hello');
  expect(coalescer.rest()).toBe('');
});
