import { fitLines } from './fit-lines.ts';
import { label } from './label.ts';
import { plain } from './plain.ts';

const PLAN_CHARACTERS = 4_000;

/** What an agent will be woken for. */
export type PlanFacts = { id: string; name: string; cron?: string; nextRun?: string };

export function planLines(plans: PlanFacts[]): string[] {
  const shown = fitLines(plans, planLine, PLAN_CHARACTERS);
  const left = plans.length - shown.length;
  return [...shown.map(planLine), ...(left > 0 ? [`(${left} more not shown here.)`] : [])];
}

function planLine({ id, name, cron, nextRun }: PlanFacts): string {
  const when = [
    cron === undefined ? 'once' : `recurring, cron ${label(cron)}`,
    ...(nextRun === undefined ? [] : [`next run ${label(nextRun)}`]),
  ];
  return `- ${plain(name)} (${when.join(', ')}) [${plain(id)}]`;
}
