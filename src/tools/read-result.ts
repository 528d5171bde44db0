import { z } from 'zod';

import { cutText } from '../db/cut-text.ts';
import { isId } from '../db/id.ts';
import { AppError } from '../errors.ts';
import { defineTool } from './built-in-tool.ts';

// What stands around the text in this tool's own result.
const FRAME = 100;
// Less could not move on over a character of two halves.
const SHORTEST = 2;

export const readResult = defineTool({
  name: 'read_result',
  description: 'Read on in a tool result that was too long to be shown whole.',
  inputSchema: z.object({
    resultId: z.string().describe('The resultId that the shortened result names'),
    offset: z.number().int().min(0).default(0).describe('The character to start at'),
    limit: z.number().int().min(SHORTEST).max(20_000).default(10_000).describe('How many characters'),
  }),
  usesActiveSpace: false,
  async run({ trx, agent, longestOutput }, { resultId, offset, limit }) {
    const row = isId(resultId)
      ? await trx
          .selectFrom('tool_calls')
          .innerJoin('runs', 'runs.id', 'tool_calls.run_id')
          .select('whole_output')
          .where('tool_calls.id', '=', resultId)
          .where('runs.agent_id', '=', agent.id)
          .executeTakeFirst()
      : undefined;
    const whole = row?.whole_output ?? undefined;
    if (whole === undefined) throw new AppError('not-found', `there is no stored result ${resultId} of yours`);
    // Not by substr in Postgres: it counts an emoji as one character where the model was told two.
    const text = fitting(whole, offset, limit, longestOutput - FRAME);
    const next = offset + text.length;
    return { text, offset, next: next < whole.length ? next : null, length: whole.length };
  },
});

/** As much as can be shown: a piece that had to be cut in its turn would be a result in a result. */
function fitting(whole: string, offset: number, limit: number, room: number): string {
  let length = limit;
  let text = cutText(whole, offset, length);
  while (JSON.stringify(text).length > room && length > SHORTEST) {
    length = Math.max(SHORTEST, Math.floor(length / 2));
    text = cutText(whole, offset, length);
  }
  return text;
}
