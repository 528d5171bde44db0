import { z } from 'zod';

import { goalFields } from '../goals/goal.ts';
import { setGoals as set } from '../goals/set-goals.ts';
import { defineTool } from './built-in-tool.ts';

const goal = z.object({
  id: goalFields.id.describe('A short name of yours for it, such as book-hotel'),
  description: goalFields.description.optional().describe('Needed for a new goal; left out, it stays as it is'),
  status: goalFields.status.optional().describe('active (for a new goal), long-term, done, dropped, or your own word'),
});

export const setGoals = defineTool({
  name: 'set_goals',
  description:
    'Set goals that span several cycles, or change their status. They stand under GOALS from your next cycle on.',
  inputSchema: z.object({ goals: z.array(goal).min(1).max(20) }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent, runId }, { goals }) {
    const changed = await set(trx, { orgId, agentId: agent.id }, goals, runId);
    return { success: true, goals: changed.map(({ id, status }) => ({ id, status })) };
  },
});
