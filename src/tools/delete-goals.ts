import { z } from 'zod';

import { deleteGoals as remove } from '../goals/delete-goals.ts';
import { goalFields } from '../goals/goal.ts';
import { defineTool } from './built-in-tool.ts';

export const deleteGoals = defineTool({
  name: 'delete_goals',
  description: 'Delete goals. One that is done or dropped may also stay: it soon leaves your view by itself.',
  inputSchema: z.object({ ids: z.array(goalFields.id).min(1).max(100).describe('Their ids, as GOALS shows them') }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent, runId }, { ids }) {
    const deleted = await remove(trx, { orgId, agentId: agent.id }, ids, runId);
    const unknown = ids.filter((id) => !deleted.includes(id));
    return { success: unknown.length === 0, deleted, ...(unknown.length > 0 && { unknown }) };
  },
});
