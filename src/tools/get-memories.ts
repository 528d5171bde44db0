import { z } from 'zod';

import { wellFormed } from '../db/well-formed.ts';
import { findMemories } from '../memory/find-memories.ts';
import { knownMemories, MEMORY_COLUMNS, memoryFields, toMemory, type Memory } from '../memory/memory.ts';
import { defineTool } from './built-in-tool.ts';

export const getMemories = defineTool({
  name: 'get_memories',
  description:
    'Look up your memories and your organisation’s, also those not shown under MEMORIES: by words, by keys, or the most important ones.',
  inputSchema: z.object({
    query: z.string().overwrite(wellFormed).min(1).max(1_000).optional().describe('Words to look for'),
    keys: z.array(memoryFields.key).max(100).optional().describe('Exact keys'),
    limit: z.number().int().min(1).max(100).default(20).describe('How many at the most'),
  }),
  usesActiveSpace: false,
  async run({ trx, orgId, agent }, { query, keys, limit }) {
    const owner = { orgId, agentId: agent.id };
    const { total } = await knownMemories(trx, owner)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    if (query !== undefined && keys === undefined) {
      const found = await findMemories(trx, owner, { text: query, orContaining: query.trim(), limit });
      return { memories: found.map(told), total };
    }
    const rows = await knownMemories(trx, owner)
      .select(MEMORY_COLUMNS)
      .$if(keys !== undefined, (wanted) => wanted.where((eb) => eb('key', '=', eb.fn.any(eb.val(keys!)))))
      .orderBy('importance', 'desc')
      .orderBy('updated_at', 'desc')
      .orderBy('key')
      .orderBy('id')
      .limit(limit)
      .execute();
    return { memories: rows.map(toMemory).map(told), total };
  },
});

function told({ key, value, importance, scope, updatedAt }: Memory): object {
  return { key, value, importance, ...(scope === 'organisation' && { scope }), updatedAt };
}
