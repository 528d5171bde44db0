import { z } from 'zod';

import { goalsOf } from '../goals/goal.ts';
import { defineTool } from './built-in-tool.ts';

export const getGoals = defineTool({
  name: 'get_goals',
  description: 'List your goals, also those that are done or dropped.',
  inputSchema: z.object({
    status: z.string().max(40).optional().describe('Only those with this status'),
  }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent }, { status }) {
    const goals = await goalsOf(trx, { orgId, agentId: agent.id });
    const wanted = status === undefined ? goals : goals.filter((goal) => goal.status === status);
    return { goals: wanted.map(({ id, description, status, updatedAt }) => ({ id, description, status, updatedAt })) };
  },
});
