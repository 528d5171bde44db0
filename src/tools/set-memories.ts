import { z } from 'zod';

import { memoryFields } from '../memory/memory.ts';
import { setMemories as set } from '../memory/set-memories.ts';
import { defineTool } from './built-in-tool.ts';

const entry = z.object({
  key: memoryFields.key.describe('A short name, such as ana_room; an earlier memory with this key is replaced'),
  value: memoryFields.value.describe('The fact itself, understandable without its conversation'),
  importance: memoryFields.importance
    .optional()
    .describe('1 to 10, usually 5; the most important are always in view, others when they seem to matter'),
  scope: z
    .enum(['agent', 'organisation'])
    .default('agent')
    .describe('organisation: every agent of your organisation knows it'),
});

export const setMemories = defineTool({
  name: 'set_memories',
  description:
    'Remember facts beyond this conversation. They stand under MEMORIES from your next cycle on, for as long as you keep them.',
  inputSchema: z.object({ entries: z.array(entry).min(1).max(20) }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent, runId }, { entries }) {
    const author = { agentId: agent.id, runId };
    const ours = entries.filter((one) => one.scope === 'organisation');
    const mine = entries.filter((one) => one.scope === 'agent');
    // The agent before the organisation, as everyone does who locks both.
    if (mine.length > 0) await set(trx, { orgId, agentId: agent.id }, author, mine);
    if (ours.length > 0) await set(trx, { orgId, agentId: null }, author, ours);
    return { success: true, keys: entries.map((one) => one.key) };
  },
});
