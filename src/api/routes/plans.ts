import { z } from 'zod';

import { requireAgent } from '../../agents/agent.ts';
import { AppError } from '../../errors.ts';
import { deletePlans } from '../../plans/delete-plans.ts';
import { listPlans } from '../../plans/list-plans.ts';
import { planFields } from '../../plans/plan.ts';
import { setPlans } from '../../plans/set-plans.ts';
import { timeField } from '../fields.ts';
import { limitQuery, nameCursorQuery, pageOf, toPageRequest } from '../page.ts';
import { readName } from '../read-name.ts';
import { readRoute, writeRoute } from '../route.ts';

const planBody = z
  .strictObject({
    instruction: planFields.instruction.optional(),
    runAfter: planFields.runAfter.optional(),
    scheduledAt: planFields.scheduledAt.optional(),
    cron: planFields.cron.optional(),
    timeZone: planFields.timeZone.optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'names nothing to set');

const planAnswer = z
  .strictObject({
    id: z.string(),
    instruction: z.string(),
    status: z.enum(['active', 'done']),
    recurring: z.boolean(),
    cron: z.string().nullable(),
    timeZone: z.string().nullable(),
    scheduledAt: timeField.nullable(),
    nextRunAt: timeField.nullable(),
    lastRunAt: timeField.nullable(),
    runs: z.number().int(),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Plan' });

const plansQuery = z.strictObject({
  limit: limitQuery,
  cursor: nameCursorQuery,
  status: z.enum(['active', 'done']).optional(),
});

export const planRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/plans',
    tag: 'Plans',
    summary: 'List an agent’s plans by id, with their next and last runs',
    description: '`done`: it ran once and has no next run; setting it again with a new time brings it back.',
    access: 'admin',
    query: plansQuery,
    answer: pageOf(planAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      const { limit } = toPageRequest({ limit: query.limit });
      const { items, more } = await listPlans(db, owner, { limit, after: query.cursor, status: query.status });
      return { items, next: more ? items.at(-1)!.id : null };
    },
  }),
  writeRoute({
    method: 'put',
    path: '/v1/agents/:agentId/plans/:plan',
    tag: 'Plans',
    summary: 'Set a plan of an agent',
    description:
      'The id is a name such as `morning-report`. A new plan needs an `instruction`, which the agent is given when it is woken, and exactly one of `runAfter` (once, after `90s`, `30m`, `2 hours` …), `scheduledAt` (once, an ISO 8601 time with an offset, or without one and with a `timeZone`) and `cron` (five fields, in `timeZone` or UTC). Of a known plan, what is left out stays. A plan that came due while nothing was running runs as soon as it can, once, however often it was missed. Where clocks change, a time that is left out runs when the gap is over, and one that comes twice runs once.',
    access: 'admin',
    status: 200,
    body: planBody,
    example: { instruction: 'Tell the Lobby what is open today', cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' },
    answer: planAnswer,
    async handle({ runtime, trx, caller, params, body, afterCommit }) {
      const id = readName(planFields.id, params.plan, 'plan');
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      const limits = { floorSeconds: runtime.config.planFloorSeconds };
      const [plan] = await setPlans(trx, owner, [{ id, ...body }], limits);
      afterCommit(() => runtime.planner.wake());
      return plan!;
    },
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/agents/:agentId/plans/:plan',
    tag: 'Plans',
    summary: 'Delete a plan of an agent',
    access: 'admin',
    status: 204,
    async handle({ runtime, trx, caller, params, afterCommit }) {
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      const deleted = await deletePlans(trx, owner, [params.plan]);
      if (deleted.length === 0) throw new AppError('not-found', `there is no plan ${params.plan.slice(0, 100)}`);
      afterCommit(() => runtime.planner.wake());
    },
  }),
];
