import { z } from 'zod';

import { crashPoint } from '../../cycle/crash-point.ts';
import { requireEntity } from '../../entities/find-entity.ts';
import { AppError } from '../../errors.ts';
import { lastEventSeq } from '../../spaces/read-events.ts';
import { listMessages } from '../../spaces/list-messages.ts';
import { postMessage } from '../../spaces/post-message.ts';
import { idField, seqQuery, textField, timeField } from '../fields.ts';
import { limitQuery } from '../page.ts';
import { rawRoute, readRoute, writeRoute } from '../route.ts';
import { seeSpace } from '../see-space.ts';
import { streamSpace } from '../stream-space.ts';
import { readPlace } from '../stream-place.ts';

const messageAnswer = z
  .strictObject({
    id: idField,
    spaceId: idField,
    seq: z.number().int(),
    senderId: idField,
    senderName: z.string(),
    senderKind: z.enum(['human', 'agent']),
    text: z.string(),
    createdAt: timeField,
  })
  .meta({ id: 'Message' });

const USUAL_PAGE = 50;

export const messageRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/spaces/:spaceId/messages',
    tag: 'Messages',
    summary: 'Post a message',
    description:
      'Once this answers 201 the message cannot be lost, and every other agent in the space will look at it.',
    access: 'member',
    status: 201,
    body: z.strictObject({ senderId: idField, text: textField, urgent: z.boolean().optional() }),
    example: { senderId: '01900000-0000-7000-8000-000000000001', text: 'Hello Ada' },
    answer: messageAnswer,
    async handle({ runtime, trx, caller, params, body, afterCommit }) {
      const { spaceId } = params;
      await seeSpace(trx, caller, spaceId);
      if (caller.role === 'entity' && body.senderId !== caller.entityId) {
        throw new AppError('forbidden', `this key speaks only as ${caller.entityId}`);
      }
      const sender = await requireEntity(trx, caller.orgId, body.senderId);
      const { message, agentIds } = await postMessage(trx, {
        orgId: caller.orgId,
        spaceId,
        sender,
        text: body.text,
        urgent: body.urgent ?? false,
      });
      afterCommit(() => {
        crashPoint('api.after_insert');
        runtime.dispatcher.ring(agentIds);
      });
      return message;
    },
  }),
  readRoute({
    path: '/v1/spaces/:spaceId/messages',
    tag: 'Messages',
    summary: 'Read messages, in their order',
    description:
      'From `after` on, or the newest ones up to `before`. When there are more, `next` is what to send as `after`, or as `before` when only `before` was sent.',
    access: 'member',
    query: z.strictObject({ after: seqQuery.optional(), before: seqQuery.optional(), limit: limitQuery }),
    answer: z.strictObject({ items: z.array(messageAnswer), next: z.number().int().nullable() }),
    async handle({ db, caller, params, query }) {
      await seeSpace(db, caller, params.spaceId);
      const { after, before, limit } = query;
      return listMessages(
        db,
        { orgId: caller.orgId, spaceId: params.spaceId },
        {
          limit: limit ?? USUAL_PAGE,
          ...(after !== undefined && { after }),
          ...(before !== undefined && { before }),
        },
      );
    },
  }),
  rawRoute({
    path: '/v1/spaces/:spaceId/events',
    tag: 'Messages',
    summary: 'Follow a space as server-sent events',
    description:
      'From the start of its log, or behind `Last-Event-ID` (or `after`). `id` is the seq in the log, `event` the type, `data` one line of JSON. A comment every 15 seconds shows that the line is alive.',
    access: 'member',
    query: z.strictObject({ after: seqQuery.optional() }),
    mediaType: 'text/event-stream',
    async handle({ runtime, streams, caller, params, query, request, response }) {
      const { spaceId } = params;
      const place = readPlace(request, query.after);
      await seeSpace(runtime.db, caller, spaceId);
      const last = await lastEventSeq(runtime.db, caller.orgId, spaceId);
      if (place > last) throw new AppError('malformed-request', `the log of this space ends at ${last}`);
      await streamSpace({ runtime, streams, caller, spaceId, after: place, response });
    },
  }),
];
