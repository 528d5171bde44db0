import type { Goal } from '../goals/goal.ts';
import { fitLines } from './fit-lines.ts';
import { plain } from './plain.ts';

const GOAL_CHARACTERS = 4_000;

// Statuses are free text; these are what models write for a goal that is no longer pursued.
const ENDED = new Set(['done', 'completed', 'finished', 'dropped', 'cancelled', 'canceled', 'abandoned']);
// Enough to know what was just finished.
const ENDED_SHOWN = 3;

/** Goals still pursued, oldest first, then the few that ended last. */
export function goalLines(goals: Goal[]): string[] {
  const open = goals.filter((goal) => !hasEnded(goal)).toSorted(by((goal) => goal.createdAt));
  const ended = goals.filter(hasEnded).toSorted(by((goal) => goal.updatedAt));
  const shown = fitLines([...open, ...ended.toReversed().slice(0, ENDED_SHOWN)], goalLine, GOAL_CHARACTERS);
  const left = goals.length - shown.length;
  return [...shown.map(goalLine), ...(left > 0 ? [`(${left} more not shown here: get_goals lists them.)`] : [])];
}

function goalLine(goal: Goal): string {
  return `- ${plain(goal.description)} (${plain(goal.status)}) [${plain(goal.id)}]`;
}

function hasEnded({ status }: Goal): boolean {
  return ENDED.has(status.toLowerCase());
}

function by(time: (goal: Goal) => string): (a: Goal, b: Goal) => number {
  const place = (goal: Goal): string => `${time(goal)} ${goal.id}`;
  return (a, b) => (place(a) < place(b) ? -1 : 1);
}
