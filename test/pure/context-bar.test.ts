import { expect, test } from 'vitest';

import { contextColour } from '../../src/web/context-bar.tsx';

test('the context bar is green below half, yellow below 80 %, red from there on (AL-19)', () => {
  expect([0, 0.49, 0.5, 0.79, 0.8, 1.2].map(contextColour)).toEqual([
    'green',
    'green',
    'yellow',
    'yellow',
    'red',
    'red',
  ]);
});
