import { z } from 'zod';

import { livingPlans, PLAN_COLUMNS, toPlan } from '../plans/plan.ts';
import { defineTool } from './built-in-tool.ts';

export const getPlans = defineTool({
  name: 'get_plans',
  description:
    'List your plans with their next and last runs, the next to run first; also those that ran once and are done.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(200).default(50).describe('How many at the most'),
  }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent }, { limit }) {
    const rows = await livingPlans(trx, { orgId, agentId: agent.id })
      .select(PLAN_COLUMNS)
      .orderBy('next_run_at', (order) => order.asc().nullsLast())
      .orderBy('last_run_at', 'desc')
      .limit(limit)
      .execute();
    return {
      plans: rows.map(toPlan).map(({ id, instruction, status, cron, timeZone, nextRunAt, lastRunAt, runs }) => ({
        id,
        instruction,
        status,
        ...(cron !== null && { cron, timeZone }),
        nextRunAt,
        lastRunAt,
        runs,
      })),
    };
  },
});
