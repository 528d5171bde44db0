import fc from 'fast-check';
import { expect, test } from 'vitest';

import { fuseRanks } from '../../src/recall/fuse-ranks.ts';
import { passagesOf, toEmbed } from '../../src/recall/passages.ts';
import { snippet } from '../../src/recall/snippet.ts';

const SMALL = { characters: 240, most: 12, labels: false };
const LARGE = { characters: 1_500, most: 4, labels: true };

test('a small model gets a line at a time without who said it, a large one whole pages', () => {
  const text = 'Ana in Lobby: The boiler is dead.\nI said in Lobby: I call the plumber.\nTold Ana.';
  expect(passagesOf(text, SMALL).map((passage) => toEmbed(passage, SMALL))).toEqual([
    'The boiler is dead.',
    'I call the plumber.',
    'Told Ana.',
  ]);
  expect(passagesOf(text, LARGE)).toEqual([text.replaceAll('\n', ' ')]);
});

test('there are never too many passages, none is empty, and their number is the same each time', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 700 }), { maxLength: 40 }), (lines) => {
      for (const shape of [SMALL, LARGE]) {
        const passages = passagesOf(lines.join('\n'), shape);
        expect(passages.length).toBeLessThanOrEqual(shape.most);
        expect(passages.every((passage) => passage.trim() !== '')).toBe(true);
        expect(passagesOf(lines.join('\n'), shape)).toEqual(passages);
      }
    }),
  );
});

test('what two searches find wins over what only one finds, and a weak hit counts little', () => {
  const cycle = (number: number, strength = 1) => ({ place: { kind: 'cycle' as const, cycle: number }, strength });
  const order = fuseRanks([
    [cycle(1), cycle(2)],
    [cycle(3, 0.2), cycle(2)],
  ]).map(({ place }) => place.kind === 'cycle' && place.cycle);
  expect(order).toEqual([2, 1, 3]);
});

test('a snippet shows the passage that shares most with the question, or the one that was meant', () => {
  const passages = ['Ana in Lobby: The flight is at ten.', 'Ben in Lobby: Soup again.'];
  expect(snippet(passages, 'when do flights leave')).toBe(passages[0]);
  expect(snippet(passages, 'food', 1)).toBe(passages[1]);
  expect(snippet([], 'food')).toBe('');
});
