import { z } from 'zod';

import { deleteMemories as remove } from '../memory/delete-memories.ts';
import { memoryFields } from '../memory/memory.ts';
import { defineTool } from './built-in-tool.ts';

export const deleteMemories = defineTool({
  name: 'delete_memories',
  description: 'Forget memories that are no longer true or no longer matter.',
  inputSchema: z.object({
    keys: z.array(memoryFields.key).min(1).max(100).describe('Their keys, as MEMORIES shows them'),
    scope: z
      .enum(['agent', 'organisation'])
      .default('agent')
      .describe('organisation: those that every agent of your organisation knows'),
  }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent, runId }, { keys, scope }) {
    const owner = { orgId, agentId: scope === 'agent' ? agent.id : null };
    const deleted = await remove(trx, owner, { agentId: agent.id, runId }, keys);
    const unknown = keys.filter((key) => !deleted.includes(key));
    return { success: unknown.length === 0, deleted, ...(unknown.length > 0 && { unknown }) };
  },
});
