import { z } from 'zod';

import { planFields } from '../plans/plan.ts';
import { setPlans as set } from '../plans/set-plans.ts';
import { defineTool } from './built-in-tool.ts';

const plan = z.object({
  id: planFields.id.describe('A short name of yours for it, such as morning-report; one with this id is changed'),
  instruction: planFields.instruction
    .optional()
    .describe('What you shall do then, understandable without this conversation; needed for a new plan'),
  runAfter: planFields.runAfter.optional().describe('Once, after a delay: 90s, 30m, 2h, 1d 12h'),
  scheduledAt: planFields.scheduledAt
    .optional()
    .describe('Once, at a time: 2027-03-01T09:00:00Z, or 2027-03-01T09:00 with timeZone'),
  cron: planFields.cron
    .optional()
    .describe('Again and again: minute, hour, day of month, month, day of week, such as 0 9 * * MON-FRI'),
  timeZone: planFields.timeZone
    .optional()
    .describe('For cron (UTC when left out) or scheduledAt, such as Europe/Berlin'),
});

export const setPlans = (deps: { floorSeconds: number; wakePlanner: () => void }) =>
  defineTool({
    name: 'set_plans',
    description:
      'Plan to be woken later, once or again and again, with an instruction to yourself. Give each plan exactly one of runAfter, scheduledAt and cron. The inbox message says what time it is now.',
    inputSchema: z.object({ plans: z.array(plan).min(1).max(20) }),
    usesActiveSpace: false,
    async run({ trx, orgId, agent, afterCommit }, { plans }) {
      const changed = await set(trx, { orgId, agentId: agent.id }, plans, deps);
      afterCommit(deps.wakePlanner);
      return { success: true, plans: changed.map(({ id, nextRunAt }) => ({ id, nextRunAt })) };
    },
  });
