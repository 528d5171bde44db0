import { z } from 'zod';

import { deletePlans as remove } from '../plans/delete-plans.ts';
import { planFields } from '../plans/plan.ts';
import { defineTool } from './built-in-tool.ts';

export const deletePlans = (deps: { wakePlanner: () => void }) =>
  defineTool({
    name: 'delete_plans',
    description: 'Delete plans: they wake you no more.',
    inputSchema: z.object({ ids: z.array(planFields.id).min(1).max(100).describe('Their ids, as PLANS shows them') }),
    usesActiveSpace: false,
    async run({ trx, orgId, agent, afterCommit }, { ids }) {
      const deleted = await remove(trx, { orgId, agentId: agent.id }, ids);
      afterCommit(deps.wakePlanner);
      const unknown = ids.filter((id) => !deleted.includes(id));
      return { success: unknown.length === 0, deleted, ...(unknown.length > 0 && { unknown }) };
    },
  });
