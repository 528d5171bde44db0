import { z } from 'zod';

import { AppError } from '../../errors.ts';
import { createTool, deleteTool, updateTool } from '../../external-tools/change-tool.ts';
import { getTool, listTools } from '../../external-tools/external-tool.ts';
import { TOOL_NAMES } from '../../tools/toolset.ts';
import { idField, timeField } from '../fields.ts';
import { inputSchemaField } from '../input-schema-field.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';

const LONGEST_DESCRIPTION = 4_096;

const toolNameField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a small letter, then small letters, digits and _; at most 64 in all');
const descriptionField = z
  .string()
  .max(LONGEST_DESCRIPTION)
  .refine((text) => text.trim() !== '', 'must not be empty');

const newToolBody = z.strictObject({
  name: toolNameField,
  description: descriptionField,
  inputSchema: inputSchemaField,
  kind: z.literal('external', 'is not supported yet; the only kind is "external"'),
});

const toolBody = z
  .strictObject({ description: descriptionField.optional(), inputSchema: inputSchemaField.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'names nothing to change');

const toolAnswer = z
  .strictObject({
    id: idField,
    name: z.string(),
    description: z.string(),
    inputSchema: z.custom<object>().meta({ openapi: { type: 'object', description: 'A JSON schema.' } }),
    kind: z.literal('external'),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Tool' });

export const toolRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/tools',
    tag: 'Tools',
    summary: 'Bring along a tool',
    description:
      'Agents that name it in their `tools` may call it. A call returns at once as pending, and the agent goes on; it waits under `GET /v1/tool-calls` until somebody posts its result, which wakes the agent.',
    access: 'admin',
    status: 201,
    body: newToolBody,
    example: {
      name: 'ship_order',
      description: 'Ask the warehouse to ship an order. Takes hours to days.',
      inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
      kind: 'external',
    },
    answer: toolAnswer,
    async handle({ trx, caller, body }) {
      if (TOOL_NAMES.includes(body.name)) {
        throw new AppError('conflict', `${body.name} is a built-in tool; choose another name`);
      }
      return createTool(trx, caller.orgId, body);
    },
  }),
  readRoute({
    path: '/v1/tools',
    tag: 'Tools',
    summary: 'List the organisation’s tools',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(toolAnswer),
    handle: async ({ db, caller, query }) => toPage(await listTools(db, caller.orgId, toPageRequest(query))),
  }),
  readRoute({
    path: '/v1/tools/:toolId',
    tag: 'Tools',
    summary: 'Get a tool',
    access: 'admin',
    answer: toolAnswer,
    handle: ({ db, caller, params }) => getTool(db, caller.orgId, params.toolId),
  }),
  writeRoute({
    method: 'patch',
    path: '/v1/tools/:toolId',
    tag: 'Tools',
    summary: 'Change a tool',
    description: 'Holds from the next cycle of each agent that has it.',
    access: 'admin',
    status: 200,
    body: toolBody,
    example: { description: 'Ask the warehouse to ship an order. Takes minutes.' },
    answer: toolAnswer,
    handle: ({ trx, caller, params, body }) => updateTool(trx, caller.orgId, params.toolId, body),
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/tools/:toolId',
    tag: 'Tools',
    summary: 'Delete a tool',
    description: 'It is taken from every agent that has it. Calls that wait can still be answered.',
    access: 'admin',
    status: 204,
    handle: ({ trx, caller, params }) => deleteTool(trx, caller.orgId, params.toolId),
  }),
];
