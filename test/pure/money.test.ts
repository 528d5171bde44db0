import { expect, test } from 'vitest';

import { checkBudget } from '../../src/cycle/budget.ts';
import { costOf, modelFacts } from '../../src/models/model-facts.ts';
import { reasoningOptions } from '../../src/models/reasoning.ts';

test('a budget warns from 80 % on and is spent at its limit, whichever of the three comes first (P23)', () => {
  const budget = { cycleUsd: 1, dayUsd: 10, monthUsd: 100 };
  expect(checkBudget(budget, { cycleUsd: 0.79, dayUsd: 7.9, monthUsd: 79 })).toEqual({ warnings: [] });
  expect(checkBudget(budget, { cycleUsd: 0.1, dayUsd: 8, monthUsd: 20 }).warnings).toEqual([
    '$8.0000 of the day budget of $10 is spent',
  ]);
  expect(checkBudget(budget, { cycleUsd: 0.1, dayUsd: 1, monthUsd: 100 }).spent).toBe(
    'the month budget of $100 is spent ($100.0000)',
  );
  expect(checkBudget(undefined, { cycleUsd: 1e9, dayUsd: 1e9, monthUsd: 1e9 })).toEqual({ warnings: [] });
});

test('cached tokens have their own price, and an unknown model costs nothing rather than a guess', () => {
  const usage = { inputTokens: 1_000_000, cacheReadTokens: 400_000, cacheWriteTokens: 100_000, outputTokens: 10_000 };
  expect(costOf(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(
    0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 0.15,
  );
  expect(costOf(usage, modelFacts('compatible:whatever').price)).toBe(0);
});

test('the longest known beginning of a model string gives its facts, and a file overrides them (AL-07, C14)', () => {
  expect(modelFacts('anthropic:claude-opus-5-5')).toMatchObject({ contextWindow: 1_000_000, continuations: 20 });
  expect(modelFacts('anthropic:claude-haiku-5').continuations).toBe(5);
  expect(modelFacts('openai:gpt-5-mini').price?.input).toBe(0.25);
  expect(modelFacts('openai:gpt-5-mini', { 'openai:gpt-5-mini': { contextWindow: 9 } }).contextWindow).toBe(9);
});

test('effort and thinking become what each provider understands (AL-13, AL-14)', () => {
  const high = { effort: 'high', thinking: 'adaptive' } as const;
  expect(reasoningOptions('openai:gpt-5', high, {})).toEqual({ reasoning: 'high' });
  expect(reasoningOptions('anthropic:claude-opus-5', { effort: 'max', thinking: 'adaptive' }, {})).toEqual({
    reasoning: 'max',
  });
  expect(
    reasoningOptions('anthropic:claude-opus-5', { effort: 'high', thinking: { budgetTokens: 10_000 } }, {}),
  ).toEqual({
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 10_000 } } },
  });
  expect(reasoningOptions('openai:gpt-5', { effort: 'low', thinking: 'off' }, {})).toEqual({ reasoning: 'none' });
  expect(reasoningOptions('compatible:any', high, {})).toEqual({});
  expect(reasoningOptions('compatible:any', high, { effort: 'high' })).toEqual({ reasoning: 'high' });
});
