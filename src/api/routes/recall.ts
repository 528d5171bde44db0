import { z } from 'zod';

import { requireAgent } from '../../agents/agent.ts';
import { recall } from '../../recall/search.ts';
import { numberQuery, timeField } from '../fields.ts';
import { readRoute } from '../route.ts';

const LONGEST_QUERY = 2_000;
const USUAL_LIMIT = 10;
const LARGEST_LIMIT = 50;

const recalledAnswer = z.strictObject({
  kind: z.enum(['cycle', 'memory']),
  cycle: z.number().int().nullable(),
  key: z.string().nullable(),
  date: timeField,
  snippet: z.string(),
  summary: z.string(),
  score: z.number(),
});

export const recallRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/recall',
    tag: 'Agents',
    summary: 'Search what an agent lived through and remembers',
    description:
      'By words and by meaning, best first. `embedder` names what compares meanings; cycles of the last seconds are found by words alone.',
    access: 'admin',
    query: z.strictObject({
      q: z
        .string({ error: 'must say what to look for' })
        .refine((text) => text.trim() !== '', 'must not be empty')
        .refine((text) => text.length <= LONGEST_QUERY, `must have at most ${LONGEST_QUERY} characters`)
        .meta({ openapi: { type: 'string', minLength: 1, maxLength: LONGEST_QUERY } }),
      limit: numberQuery(1, LARGEST_LIMIT)
        .optional()
        .meta({ openapi: { type: 'integer', minimum: 1, maximum: LARGEST_LIMIT, default: USUAL_LIMIT } }),
    }),
    answer: z.strictObject({ items: z.array(recalledAnswer), embedder: z.string(), next: z.null() }),
    async handle({ runtime, db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const scope = { orgId: caller.orgId, agentId: params.agentId };
      const asked = { query: query.q, limit: query.limit ?? USUAL_LIMIT };
      const items = await recall(db, runtime.embedder, { ...scope, ...asked });
      return { items, embedder: runtime.embedder.name, next: null };
    },
  }),
];
