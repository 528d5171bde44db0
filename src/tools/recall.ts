import { z } from 'zod';

import { wellFormed } from '../db/well-formed.ts';
import { AppError } from '../errors.ts';
import type { Embedder } from '../recall/embedder.ts';
import { readCycle } from '../recall/read-cycle.ts';
import { recall, type Recalled } from '../recall/search.ts';
import { defineTool } from './built-in-tool.ts';

export const recallTool = (embedder: Embedder) =>
  defineTool({
    name: 'recall',
    description:
      'Search everything you ever lived through, also what has faded from the conversation above: by words and by meaning, in all your cycles and memories. Returns the best matches with their dates. To read one of those cycles in full, call again with its number as cycle.',
    inputSchema: z.object({
      query: z
        .string()
        .overwrite(wellFormed)
        .max(2_000)
        .optional()
        .describe('What you look for, in a few words or as a question'),
      limit: z.number().int().min(1).max(20).default(5).describe('How many matches'),
      cycle: z.number().int().min(1).max(2_147_483_647).optional().describe('Read this cycle instead of searching'),
    }),
    usesActiveSpace: false,
    async run({ trx, orgId, agent }, { query = '', limit, cycle }) {
      const scope = { orgId, agentId: agent.id };
      if (cycle !== undefined) {
        const found = await readCycle(trx, { ...scope, cycle });
        if (found === undefined) throw new AppError('not-found', `you have no cycle ${cycle}; search with query first`);
        return found;
      }
      if (query.trim() === '') throw new AppError('invalid-request', 'say what you look for as query, or name a cycle');
      const items = await recall(trx, embedder, { ...scope, query, limit });
      return { count: items.length, found: items.map(told) };
    },
  });

function told({ kind, cycle, key, date, snippet, summary }: Recalled): object {
  if (kind === 'memory') return { memory: key, date, text: snippet };
  return { cycle, date, text: snippet, ...(summary !== '' && !snippet.includes(summary) && { summary }) };
}
