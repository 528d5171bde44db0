import { z } from 'zod';

import { requireAgent } from '../../agents/agent.ts';
import { AppError } from '../../errors.ts';
import { deleteGoals } from '../../goals/delete-goals.ts';
import { goalFields } from '../../goals/goal.ts';
import { listGoals } from '../../goals/list-goals.ts';
import { setGoals } from '../../goals/set-goals.ts';
import { timeField } from '../fields.ts';
import { limitQuery, nameCursorQuery, pageOf, toPageRequest } from '../page.ts';
import { readName } from '../read-name.ts';
import { readRoute, writeRoute } from '../route.ts';

const goalBody = z
  .strictObject({ description: goalFields.description.optional(), status: goalFields.status.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'names nothing to set');

const goalAnswer = z
  .strictObject({
    id: z.string(),
    description: z.string(),
    status: z.string(),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Goal' });

const goalsQuery = z.strictObject({ limit: limitQuery, cursor: nameCursorQuery });

export const goalRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/goals',
    tag: 'Memories',
    summary: 'List an agent’s goals by id',
    access: 'admin',
    query: goalsQuery,
    answer: pageOf(goalAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      const { limit } = toPageRequest({ limit: query.limit });
      const { items, more } = await listGoals(db, owner, { limit, after: query.cursor });
      return { items, next: more ? items.at(-1)!.id : null };
    },
  }),
  writeRoute({
    method: 'put',
    path: '/v1/agents/:agentId/goals/:goal',
    tag: 'Memories',
    summary: 'Set a goal of an agent',
    description:
      'The id is a name such as `book-hotel`. A new goal needs a description; of a known one, what is left out stays. Usual statuses: active, long-term, done, dropped.',
    access: 'admin',
    status: 200,
    body: goalBody,
    example: { description: 'Book a hotel for Ana', status: 'active' },
    answer: goalAnswer,
    async handle({ trx, caller, params, body }) {
      const id = readName(goalFields.id, params.goal, 'goal');
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      const [goal] = await setGoals(trx, owner, [{ id, ...body }], undefined);
      return goal!;
    },
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/agents/:agentId/goals/:goal',
    tag: 'Memories',
    summary: 'Delete a goal of an agent',
    access: 'admin',
    status: 204,
    async handle({ trx, caller, params }) {
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      const deleted = await deleteGoals(trx, owner, [params.goal], undefined);
      if (deleted.length === 0) throw new AppError('not-found', `there is no goal ${params.goal.slice(0, 100)}`);
    },
  }),
];
