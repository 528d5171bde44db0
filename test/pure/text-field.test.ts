import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createTextField } from '../../src/stream/text-field.ts';
import { split } from '../support/split.ts';

function read(pieces: string[]): string[] {
  const field = createTextField('text');
  return pieces.map((piece) => field.push(piece));
}

const anything = fc.string({ unit: 'binary' });
const others = fc.dictionary(
  anything.filter((key) => key !== 'text'),
  fc.jsonValue(),
);

test('however the JSON is cut into deltas, the pieces join to the text', () => {
  fc.assert(
    fc.property(
      others,
      anything,
      others,
      fc.infiniteStream(fc.nat(9)),
      fc.boolean(),
      (before, text, after, cuts, spaced) => {
        const json = JSON.stringify({ ...before, text, ...after }, null, spaced ? 2 : 0);
        const pieces = read(split(json, cuts));
        expect(pieces.join('')).toBe(text);
      },
    ),
  );
});

test('no piece ends within a character, whether it comes as such or escaped', () => {
  const ascii = (json: string): string =>
    json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const whole = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(whole, fc.infiniteStream(fc.nat(3)), fc.boolean(), (text, cuts, escaped) => {
      const json = JSON.stringify({ text });
      const pieces = read(split(escaped ? ascii(json) : json, cuts));
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});

test.each([
  ['a text inside another object', '{"reply":{"text":"no"},"text":"yes"}', 'yes'],
  ['a text inside a list', '{"list":[{"text":"no"},"text"],"text":"yes"}', 'yes'],
  ['a list of strings before it', '{"a":["text","text","no"],"text":"yes"}', 'yes'],
  ['the name of the field as a value', '{"kind":"text","other":"no","text":"yes"}', 'yes'],
  ['a value that looks like JSON', '{"note":"\\"text\\":\\"no\\"","text":"yes"}', 'yes'],
  ['a key with escapes', '{"te\\u0078t":"yes"}', 'yes'],
  ['a key that only begins alike', '{"textual":"no","te\\"xt":"no","text":"yes"}', 'yes'],
  ['a text that is no string', '{"text":{"text":"no"}}', ''],
  ['a text that is a list', '{"text":["no"]}', ''],
  ['no text at all', '{"other":"no"}', ''],
  ['brackets and commas inside the text', '{"text":"{a,[b]}: \\"c\\""}', '{a,[b]}: "c"'],
  ['each simple escape', '{"text":"\\n\\t\\r\\b\\f\\/\\\\\\""}', '\n\t\r\b\f/\\"'],
])('is not misled by %s', (_what, json, text) => {
  expect(read([json]).join('')).toBe(text);
  expect(read(json.split('')).join('')).toBe(text);
});

test('shows what has come so far of a text that is still being written', () => {
  expect(read(['{"text":"Hel', 'lo\\', 'nyou'])).toEqual(['Hel', 'lo', '\nyou']);
});
