import { z } from 'zod';

import { defineTool } from './built-in-tool.ts';

export const getMyRuns = defineTool({
  name: 'get_my_runs',
  description: 'List your latest think cycles: when they were, how they ended, how many steps and tokens they took.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(50).default(10).describe('How many cycles, newest first'),
  }),
  usesActiveSpace: false,
  async run({ trx, agent, runId }, { limit }) {
    const rows = await trx
      .selectFrom('runs')
      .select((eb) => [
        'cycle',
        'status',
        'stop_reason',
        'input_tokens',
        'output_tokens',
        'started_at',
        eb
          .selectFrom('run_steps')
          .select(eb.fn.countAll<number>().as('count'))
          .whereRef('run_id', '=', 'runs.id')
          .as('steps'),
      ])
      .where('agent_id', '=', agent.id)
      .where('id', '!=', runId)
      .orderBy('started_at', 'desc')
      .limit(limit)
      .execute();
    return {
      runs: rows.map((row) => ({
        cycle: row.cycle,
        at: row.started_at.toISOString(),
        status: row.status,
        ended: row.stop_reason,
        steps: Number(row.steps),
        tokens: row.input_tokens + row.output_tokens,
      })),
    };
  },
});
