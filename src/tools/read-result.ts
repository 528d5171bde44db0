import { sql } from 'kysely';
import { z } from 'zod';

import { isId } from '../db/id.ts';
import { AppError } from '../errors.ts';
import { defineTool } from './built-in-tool.ts';

export const readResult = defineTool({
  name: 'read_result',
  description: 'Read on in a tool result that was too long to be shown whole.',
  inputSchema: z.object({
    resultId: z.string().describe('The resultId that the shortened result names'),
    offset: z.number().int().min(0).default(0).describe('The character to start at'),
    limit: z.number().int().min(1).max(20_000).default(10_000).describe('How many characters'),
  }),
  usesActiveSpace: false,
  async run({ trx, agent }, { resultId, offset, limit }) {
    const row = isId(resultId)
      ? await trx
          .selectFrom('tool_calls')
          .innerJoin('runs', 'runs.id', 'tool_calls.run_id')
          .select([
            sql<string>`substr(whole_output, ${offset + 1}::integer, ${limit}::integer)`.as('text'),
            sql<number>`length(whole_output)`.as('length'),
          ])
          .where('tool_calls.id', '=', resultId)
          .where('runs.agent_id', '=', agent.id)
          .where('whole_output', 'is not', null)
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw new AppError('not-found', `there is no stored result ${resultId} of yours`);
    const next = offset + row.text.length;
    return { text: row.text, offset, next: next < row.length ? next : null, length: row.length };
  },
});
