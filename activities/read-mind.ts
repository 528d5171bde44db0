import type { Db } from '../src/db/open-database.ts';
import { goalsOf, type Goal } from '../src/goals/goal.ts';
import { firstMemories, type FirstMemories } from '../src/memory/first-memories.ts';
import { activePlans, type ActivePlan } from '../src/plans/plan.ts';
import { MEMORY_CHARACTERS } from '../src/prompts/memory-lines.ts';

/** What an agent keeps in view beyond what it lived through. */
export type Mind = { goals: Goal[]; memories: FirstMemories; plans: ActivePlan[] };

/** All at once and before the claim: one after the other inside its transaction they held up the first word by 1 ms. */
export async function readMind(db: Db, owner: { orgId: string; agentId: string }): Promise<Mind> {
  const [goals, memories, plans] = await Promise.all([
    goalsOf(db, owner),
    firstMemories(db, owner, MEMORY_CHARACTERS),
    activePlans(db, owner),
  ]);
  return { goals, memories, plans };
}
