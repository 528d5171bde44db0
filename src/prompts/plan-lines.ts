import type { Plan } from '../plans/plan.ts';
import { fitLines } from './fit-lines.ts';
import { label } from './label.ts';
import { plain } from './plain.ts';

const PLAN_CHARACTERS = 4_000;
const NEXT_RUN_CHARACTERS = 1_000;
// The whole instruction comes with the event that wakes the agent.
const INSTRUCTION = 200;

/** What an agent needs to know of a plan that is still to come. */
export type PlanFacts = Pick<Plan, 'id' | 'instruction' | 'cron' | 'timeZone' | 'nextRunAt'>;

/**
 * For the instructions: what and when. A plan that runs once has its time here; a recurring one has its cron, because its
 * next run changes with every run, and everything behind it would miss the provider's prompt cache. The inbox message
 * tells the next run when it has changed.
 */
export function planLines(plans: PlanFacts[]): string[] {
  const shown = fitLines(plans, planLine, PLAN_CHARACTERS);
  const left = plans.length - shown.length;
  return [...shown.map(planLine), ...(left > 0 ? [`(${left} more not shown here: get_plans lists them.)`] : [])];
}

/**
 * For the inbox message: when recurring plans run next whose next run the agent cannot know from what it remembers. One
 * that woke it says so in its own line.
 */
export function nextRunsLine(plans: (PlanFacts & { untold: boolean })[], told: Set<string>): string | undefined {
  const untold = plans.filter((plan) => plan.untold && plan.cron !== null && !told.has(plan.id));
  const shown = fitLines(untold, nextRun, NEXT_RUN_CHARACTERS).map(nextRun);
  return shown.length === 0 ? undefined : `NEXT RUNS of your plans: ${shown.join(', ')}`;
}

function nextRun({ id, nextRunAt }: PlanFacts): string {
  return `${plain(id)} at ${label(nextRunAt ?? 'no time')}`;
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
