import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isWellFormed, wellFormed, wellFormedJson } from '../../src/db/well-formed.ts';

// Any UTF-16 at all: lone surrogates and U+0000 come often.
const unit = fc.oneof(
  fc.constantFrom('\u0000', '\uD800', '\uDBFF', '\uDC00', '\uDFFF', '\uD83D\uDE00', 'a'),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
);
const raw = fc.array(unit).map((units) => units.join(''));

test('any text becomes one that Postgres stores, of the same length, and is then left alone', () => {
  fc.assert(
    fc.property(raw, (text) => {
      const stored = wellFormed(text);
      expect(isWellFormed(stored)).toBe(true);
      expect(stored).toHaveLength(text.length);
      expect(wellFormed(stored)).toBe(stored);
    }),
  );
});

test('a text that can be stored is not touched, any other is', () => {
  fc.assert(
    fc.property(raw, (text) => {
      expect(wellFormed(text) === text).toBe(isWellFormed(text));
    }),
  );
});

test('every string and every key inside a JSON value can be stored', () => {
  fc.assert(
    fc.property(fc.dictionary(raw, fc.oneof(raw, fc.array(raw), fc.dictionary(raw, raw))), (value) => {
      const json = JSON.stringify(wellFormedJson(value));
      expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      expect(json.isWellFormed()).toBe(true);
    }),
  );
});

test('a JSON value that can be stored stays equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)));
      expect(wellFormedJson(value)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('bytes become base64, and nothing becomes null', () => {
  expect(wellFormedJson({ data: new Uint8Array([1, 2, 255]) })).toEqual({ data: 'AQL/' });
  expect(wellFormedJson({ data: Buffer.from([1, 2, 255]) })).toEqual({ data: 'AQL/' });
  expect(wellFormedJson(undefined)).toBeNull();
});
