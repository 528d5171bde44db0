import { z } from 'zod';

import { requireAgent } from '../../agents/agent.ts';
import { listDeadLetters, retryDeadLetter } from '../../inbox/dead-letters.ts';
import { idField, timeField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';
import { inboxAnswer } from './run-answers.ts';

const deadLetterAnswer = inboxAnswer
  .pick({ id: true, type: true, failures: true, space: true, sender: true })
  .extend({
    preview: z.string().optional(),
    error: z.string().nullable(),
    runId: idField.nullable(),
    since: timeField,
  })
  .meta({ id: 'DeadLetter' });

export const deadLetterRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/dead-letters',
    tag: 'Runs',
    summary: 'List the events an agent gave up on, newest first',
    description: 'Their think cycles failed three times, or there was no money left for one.',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(deadLetterAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const input = { orgId: caller.orgId, agentId: params.agentId };
      return toPage(await listDeadLetters(db, input, toPageRequest(query)));
    },
  }),
  writeRoute({
    method: 'post',
    path: '/v1/dead-letters/:eventId/retry',
    tag: 'Runs',
    summary: 'Give an event to its agent once more',
    description: 'The agent is woken at once. 409 when the event is not in the dead-letter list.',
    access: 'admin',
    status: 202,
    answer: z.strictObject({ eventId: idField }),
    async handle({ runtime, trx, caller, params, afterCommit }) {
      const agentId = await retryDeadLetter(trx, caller.orgId, params.eventId);
      afterCommit(() => runtime.dispatcher.ring([agentId]));
      return { eventId: params.eventId };
    },
  }),
];
