import type { ModelMessage } from 'ai';

import type { Plan } from '../plans/plan.ts';
import { fitLines } from './fit-lines.ts';
import { label } from './label.ts';
import { plain } from './plain.ts';

const PLAN_CHARACTERS = 4_000;
const NEXT_RUN_CHARACTERS = 2_000;
// The whole instruction comes with the event that wakes the agent.
const INSTRUCTION = 200;

/** What an agent needs to know of a plan that is still to come. */
export type PlanFacts = Pick<Plan, 'id' | 'instruction' | 'cron' | 'timeZone' | 'nextRunAt'>;

const HEADING = '[NEXT RUNS OF YOUR RECURRING PLANS]';

/**
 * For the instructions: what and when. A plan that runs once has its time here; a recurring one has its cron, because its
 * next run changes with every run, and with it every byte behind it would miss the provider's prompt cache.
 */
export function planLines(plans: PlanFacts[]): string[] {
  const shown = fitLines(plans, planLine, PLAN_CHARACTERS);
  const left = plans.length - shown.length;
  return [...shown.map(planLine), ...(left > 0 ? [`(${left} more not shown here: get_plans lists them.)`] : [])];
}

/** For the volatile part: when the recurring plans run next, soonest first; not remembered. */
export function nextRuns(plans: PlanFacts[]): ModelMessage | undefined {
  const recurring = plans
    .filter((plan) => plan.cron !== null && plan.nextRunAt !== null)
    .toSorted((a, b) => (a.nextRunAt! < b.nextRunAt! ? -1 : 1));
  const line = ({ id, nextRunAt }: PlanFacts): string => `- ${plain(id)}: ${nextRunAt}`;
  const lines = fitLines(recurring, line, NEXT_RUN_CHARACTERS).map(line);
  return lines.length === 0 ? undefined : { role: 'user', content: [HEADING, ...lines].join('\n') };
}

function planLine({ id, instruction, cron, timeZone, nextRunAt }: PlanFacts): string {
  const shown =
    instruction.length <= INSTRUCTION ? instruction : `${instruction.slice(0, INSTRUCTION).toWellFormed()}…`;
  const when =
    cron === null
      ? `once, next run ${label(nextRunAt ?? 'unknown')}`
      : `recurring, cron ${label(cron)}, ${label(timeZone ?? 'UTC')}`;
  return `- ${plain(shown)} (${when}) [${plain(id)}]`;
}
