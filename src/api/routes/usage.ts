import { z } from 'zod';

import { requireAgent } from '../../agents/agent.ts';
import { usageOf } from '../../cycle/usage-of.ts';
import { readRoute } from '../route.ts';

const count = z.number().int();

const sums = z.strictObject({
  cycles: count,
  skips: count,
  steps: count,
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  costUsd: z.number(),
  priced: z.boolean(),
});

const dayQuery = z.iso
  .date({ error: 'is not a date; write YYYY-MM-DD' })
  .optional()
  .meta({ openapi: { type: 'string', format: 'date' } });

const usageQuery = z
  .strictObject({ by: z.enum(['day', 'model']).optional(), from: dayQuery, to: dayQuery })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    error: 'is before `from`',
  });

export const usageRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/usage',
    tag: 'Runs',
    summary: 'Tokens and money an agent has used, by day or by model',
    description:
      'Days are in UTC, newest first; models come dearest first. `from` and `to` are days, both included. Input tokens include cached ones. A skip counts as one step. `priced` is false when part of it was used while no price was known for its model; WAKEFUL_PRICES_FILE names prices.',
    access: 'admin',
    query: usageQuery,
    answer: z.strictObject({
      items: z.array(
        z.union([
          sums.extend({ day: z.string() }).meta({ id: 'DayUsage' }),
          sums.extend({ model: z.string() }).meta({ id: 'ModelUsage' }),
        ]),
      ),
      total: sums,
      next: z.null(),
    }),
    async handle({ runtime, db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const { by = 'day', from, to } = query;
      const { items, total } = await usageOf(
        db,
        { orgId: caller.orgId, agentId: params.agentId, by, from, to },
        (model) => runtime.models.facts(model).price,
      );
      const named = items.map(({ name, ...rest }) =>
        by === 'day' ? { day: name, ...rest } : { model: name, ...rest },
      );
      return { items: named, total, next: null };
    },
  }),
];
