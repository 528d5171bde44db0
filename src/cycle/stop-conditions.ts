import type { StepResult, ToolSet } from 'ai';

import type { AgentSettings } from '../agents/settings.ts';

type Steps = StepResult<ToolSet>[];

/** Why a cycle ended, as the run record names it. */
export type StopReason =
  | 'natural-end'
  | 'step-limit'
  | 'token-budget'
  | 'money-budget'
  | 'all-answered'
  | 'repeat-guard'
  | 'length'
  | 'content-filter'
  | 'empty-reply'
  | 'skip-ignored'
  | 'other';

// The same calls in so many steps one after another is a loop, not work.
const REPEATS = 3;

/** The conditions of one cycle. Any one that holds ends it; the first to hold gives the reason. */
export function createStops(input: {
  settings: AgentSettings;
  /** Events the cycle has taken in so far, injected ones included. */
  eventCount: () => number;
  overspent: (steps: Steps) => Promise<boolean>;
}): { stopWhen: ((options: { steps: Steps }) => Promise<boolean>)[]; reason: (steps: Steps) => StopReason } {
  let met: StopReason | undefined;
  const named = (reason: StopReason, holds: (steps: Steps) => boolean | Promise<boolean>) => {
    return async ({ steps }: { steps: Steps }): Promise<boolean> => {
      if (!(await holds(steps))) return false;
      met ??= reason;
      return true;
    };
  };
  const { settings } = input;
  const stopWhen = [
    named('money-budget', input.overspent),
    named('token-budget', (steps) => newTokens(steps) > settings.cycleTokenBudget),
    named('repeat-guard', repeats),
    named('all-answered', (steps) => settings.stopWhenAllAnswered && answers(steps) >= input.eventCount()),
    named('step-limit', (steps) => steps.length >= settings.maxSteps),
  ];
  return { stopWhen, reason: (steps) => naturalEnd(steps) ?? met ?? 'other' };
}

/** Every new token once: what the model wrote, and what tools added to the input since the cycle began. */
export function newTokens(steps: Steps): number {
  const outputs = steps.map((step) => step.usage.outputTokens ?? 0);
  const written = outputs.reduce((sum, tokens) => sum + tokens, 0);
  const first = steps[0]?.usage.inputTokens ?? 0;
  const last = steps.at(-1)?.usage.inputTokens ?? 0;
  const fedBack = written - (outputs.at(-1) ?? 0);
  return written + Math.max(0, last - first - fedBack);
}

function repeats(steps: Steps): boolean {
  if (steps.length < REPEATS) return false;
  const recent = steps
    .slice(-REPEATS)
    .map((step) => JSON.stringify(step.toolCalls.map((call) => [call.toolName, call.input])));
  return recent[0] !== '[]' && recent.every((calls) => calls === recent[0]);
}

function answers(steps: Steps): number {
  return steps.flatMap((step) => step.toolCalls).filter((call) => call.toolName === 'send_message').length;
}

function naturalEnd(steps: Steps): StopReason | undefined {
  const last = steps.at(-1);
  if (last === undefined) return 'other';
  if (last.toolCalls.some((call) => call.toolName === 'skip')) return 'skip-ignored';
  if (last.toolCalls.length > 0) return undefined; // the loop would have gone on: a condition ended it
  if (last.finishReason === 'length' || last.finishReason === 'content-filter') return last.finishReason;
  return last.text.trim() === '' ? 'empty-reply' : 'natural-end';
}
