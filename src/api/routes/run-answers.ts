import { z } from 'zod';

import { idField, timeField } from '../fields.ts';

export const INBOX_STATUSES = ['pending', 'claimed', 'done', 'skipped', 'dead'] as const;

const count = z.number().int();
// Messages and tool traffic are the AI SDK's own shapes; its documentation describes them.
const modelMessage = z.custom<object>().meta({ openapi: { type: 'object', description: 'An AI SDK ModelMessage.' } });

const run = z.strictObject({
  id: idField,
  agentId: idField,
  cycle: count,
  status: z.enum(['running', 'committed', 'stopped', 'failed']),
  model: z.string(),
  agentVersion: count,
  eventCount: count,
  stopReason: z.string().nullable(),
  failures: count,
  error: z.string().nullable(),
  inputTokens: count,
  outputTokens: count,
  costUsd: z.number(),
  context: z
    .strictObject({
      system: count,
      tools: count,
      messages: count,
      window: count,
      share: z.number(),
      reported: count.optional(),
    })
    .nullable()
    .describe('How full the model’s window was at the last step, in estimated tokens.'),
  startedAt: timeField,
  endedAt: timeField.nullable(),
});

export const runAnswer = run.meta({ id: 'Run' });

const usage = z
  .strictObject({
    inputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    outputTokens: count,
    reasoningTokens: count,
  })
  .meta({ id: 'Usage' });

const toolCall = z.strictObject({
  id: idField,
  callId: z.string(),
  name: z.string(),
  input: z.unknown(),
  status: z.enum(['started', 'done', 'failed', 'waiting', 'pending', 'unknown']),
  output: z.unknown(),
  startedAt: timeField,
  endedAt: timeField.nullable(),
});

const step = z.strictObject({
  step: count,
  finishReason: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  injected: z.array(modelMessage),
  usage,
  toolCalls: z.array(toolCall),
  startedAt: timeField,
  generatedAt: timeField,
});

export const runDetailAnswer = run
  .extend({ prompt: z.string(), inboxMessage: modelMessage, steps: z.array(step), usage })
  .meta({ id: 'RunDetail' });

export const consciousnessAnswer = z.strictObject({
  cycleCount: count,
  tokenEstimate: count,
  messages: z.array(modelMessage),
});

export const skipAnswer = z
  .strictObject({
    id: idField,
    reason: z.string(),
    model: z.string(),
    inputTokens: count,
    outputTokens: count,
    eventIds: z.array(idField),
    createdAt: timeField,
  })
  .meta({ id: 'Skip' });

export const inboxAnswer = z
  .strictObject({
    id: idField,
    position: count,
    type: z.enum(['message', 'plan', 'tool_result', 'service', 'heartbeat']),
    status: z.enum(INBOX_STATUSES),
    urgent: z.boolean(),
    createdAt: timeField,
    failures: count,
    space: z.strictObject({ id: idField, name: z.string() }).optional(),
    message: z.strictObject({ id: idField, seq: count, text: z.string() }).optional(),
    sender: z.strictObject({ id: idField, name: z.string(), kind: z.enum(['human', 'agent']) }).optional(),
    payload: z
      .custom<object>()
      .optional()
      .meta({ openapi: { type: 'object' } }),
  })
  .meta({ id: 'InboxEvent' });
