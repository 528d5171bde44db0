import type { Db } from '../db/open-database.ts';
import type { AgentSettings } from '../agents/settings.ts';

export type Spend = { dayUsd: number; monthUsd: number };

export type BudgetState = { spent?: string; warnings: string[] };

const WARNING_SHARE = 0.8;

/** What the agent has spent today and this month (UTC), runs under way and skips included. */
export async function spendOf(db: Db, agentId: string): Promise<Spend> {
  const now = new Date();
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const since = async (from: Date): Promise<number> => {
    const steps = await db
      .selectFrom('run_steps')
      .innerJoin('runs', 'runs.id', 'run_steps.run_id')
      .select((eb) => eb.fn.sum<number | null>('run_steps.cost_usd').as('usd'))
      .where('runs.agent_id', '=', agentId)
      .where('run_steps.generated_at', '>=', from)
      .executeTakeFirst();
    const skips = await db
      .selectFrom('skips')
      .select((eb) => eb.fn.sum<number | null>('cost_usd').as('usd'))
      .where('agent_id', '=', agentId)
      .where('created_at', '>=', from)
      .executeTakeFirst();
    return Number(steps?.usd ?? 0) + Number(skips?.usd ?? 0);
  };
  return { dayUsd: await since(day), monthUsd: await since(month) };
}

/** Which limit is used up, and which are nearly so. */
export function checkBudget(budget: AgentSettings['budget'], spend: Spend & { cycleUsd: number }): BudgetState {
  const limits = [
    { name: 'cycle', spent: spend.cycleUsd, limit: budget?.cycleUsd },
    { name: 'day', spent: spend.dayUsd, limit: budget?.dayUsd },
    { name: 'month', spent: spend.monthUsd, limit: budget?.monthUsd },
  ];
  const state: BudgetState = { warnings: [] };
  for (const { name, spent, limit } of limits) {
    if (limit === undefined) continue;
    if (spent >= limit) state.spent ??= `the ${name} budget of $${limit} is spent ($${spent.toFixed(4)})`;
    else if (spent >= limit * WARNING_SHARE)
      state.warnings.push(`$${spent.toFixed(4)} of the ${name} budget of $${limit} is spent`);
  }
  return state;
}
