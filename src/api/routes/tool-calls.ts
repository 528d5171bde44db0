import { z } from 'zod';

import { answerCall } from '../../cycle/answer-call.ts';
import { listOpenCalls, OPEN_STATUSES } from '../../cycle/open-calls.ts';
import { idField, textField, timeField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';

const MOST_OUTPUT_BYTES = 262_144;

const toolCallAnswer = z
  .strictObject({
    id: idField,
    runId: idField,
    agentId: idField,
    name: z.string(),
    input: z.unknown(),
    status: z.enum(['started', 'done', 'failed', 'waiting', 'pending', 'unknown']),
    startedAt: timeField,
  })
  .meta({ id: 'ToolCall' });

const outputField = z
  .unknown()
  .refine(
    (output) => output === undefined || Buffer.byteLength(JSON.stringify(output)) <= MOST_OUTPUT_BYTES,
    `must have at most ${MOST_OUTPUT_BYTES} bytes of JSON`,
  )
  .meta({ openapi: { description: `Any JSON of at most ${MOST_OUTPUT_BYTES} bytes.` } });

const resultBody = z
  .strictObject({ output: outputField.optional(), error: textField.optional() })
  .refine((body) => (body.output === undefined) !== (body.error === undefined), 'must have either output or error');

export const toolCallRoutes = [
  readRoute({
    path: '/v1/tool-calls',
    tag: 'Tools',
    summary: 'List the tool calls that are open, oldest first',
    description: '`pending`: the agent went on, and hears the result when it is posted.',
    access: 'admin',
    query: pageQuery.extend({ status: z.enum(OPEN_STATUSES).optional() }),
    answer: pageOf(toolCallAnswer),
    async handle({ db, caller, query }) {
      const { status, ...page } = query;
      return toPage(await listOpenCalls(db, { orgId: caller.orgId, status }, toPageRequest(page)));
    },
  }),
  writeRoute({
    method: 'post',
    path: '/v1/tool-calls/:toolCallId/result',
    tag: 'Tools',
    summary: 'Answer a pending tool call',
    description:
      'With its `output`, or with the `error` that kept it from having one. It reaches the agent’s inbox and wakes it, however late. 409 when the call was answered before; nothing changes then.',
    access: 'admin',
    status: 200,
    body: resultBody,
    example: { output: { shipped: true, parcel: 'JD014600003SE' } },
    answer: toolCallAnswer,
    async handle({ runtime, trx, caller, params, body, afterCommit }) {
      const answer = body.error === undefined ? { output: body.output } : { error: body.error };
      const call = await answerCall(trx, caller.orgId, params.toolCallId, answer);
      afterCommit(() => runtime.dispatcher.ring([call.agentId]));
      return call;
    },
  }),
];
