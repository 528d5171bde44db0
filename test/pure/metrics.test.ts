import { expect, test } from 'vitest';

import { createRegistry, renderFamily } from '../../src/metrics/registry.ts';

test('a counter has one line per set of labels, under one heading', () => {
  const registry = createRegistry();
  const asked = registry.counter('asked_total', 'Asked.');
  asked.add({ how: 'kindly' });
  asked.add({ how: 'kindly' });
  asked.add({ how: 'twice "so"\n\\' });
  expect(registry.render()).toBe(
    [
      '# HELP asked_total Asked.',
      '# TYPE asked_total counter',
      'asked_total{how="kindly"} 2',
      String.raw`asked_total{how="twice \"so\"\n\\"} 1`,
      '',
    ].join('\n'),
  );
});

test('a histogram counts each value in every bucket that holds it', () => {
  const registry = createRegistry();
  const wait = registry.histogram('wait_seconds', 'Waited.', [1, 5]);
  for (const value of [0.5, 1, 3, 10]) wait.observe(value);
  expect(registry.render()).toBe(
    [
      '# HELP wait_seconds Waited.',
      '# TYPE wait_seconds histogram',
      'wait_seconds_bucket{le="1"} 2',
      'wait_seconds_bucket{le="5"} 3',
      'wait_seconds_bucket{le="+Inf"} 4',
      'wait_seconds_sum 14.5',
      'wait_seconds_count 4',
      '',
    ].join('\n'),
  );
});

test('a gauge without labels is a bare name', () => {
  expect(renderFamily({ name: 'open', help: 'Open.', type: 'gauge' }, [{ value: 3 }])).toMatch(/\nopen 3\n$/);
});
