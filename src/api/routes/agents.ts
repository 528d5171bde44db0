import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';

import { agentWorkflowId, configChangedSignal } from '../../../workflows/contract.ts';
import { getAgent, listAgents } from '../../agents/agent.ts';
import { createAgent } from '../../agents/create-agent.ts';
import { eraseAgent } from '../../agents/erase-agent.ts';
import { settingsSchema } from '../../agents/settings.ts';
import { updateAgent } from '../../agents/update-agent.ts';
import { AppError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import { checkToolNames } from '../check-tool-names.ts';
import { nameField, textField } from '../fields.ts';
import { forgetWorkflow } from '../forget-workflow.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';
import { agentAnswer } from './agent-answer.ts';

const modelField = z
  .string()
  .max(200)
  .meta({ examples: ['openai:gpt-5-mini'] });
const toolsField = z
  .array(z.string().max(64))
  .max(64)
  .refine((names) => new Set(names).size === names.length, 'names a tool twice')
  .meta({ description: 'Names of built-in tools and of tools of the organisation.' });

const newAgentBody = z.strictObject({
  name: nameField,
  instructions: textField,
  model: modelField.nullish(),
  tools: toolsField.nullish(),
  settings: settingsSchema.optional(),
});

// Null puts a setting back to its default.
const changedSettings = z.strictObject(
  Object.fromEntries(Object.entries(settingsSchema.shape).map(([name, field]) => [name, field.nullish()])),
);

const agentBody = z
  .strictObject({
    name: nameField.optional(),
    instructions: textField.optional(),
    model: modelField.nullish(),
    tools: toolsField.nullish(),
    settings: changedSettings.optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'names nothing to change');

export const agentRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'Create an agent',
    description:
      'Without `model` it thinks with the server’s default model, without `tools` it has every built-in tool and none of the organisation’s.',
    access: 'admin',
    status: 201,
    body: newAgentBody,
    example: {
      name: 'Ada',
      instructions: 'You welcome people and answer their questions.',
      settings: { maxSteps: 10 },
    },
    answer: agentAnswer,
    async handle({ runtime, trx, caller, body }) {
      checkModel(runtime, body.model);
      await checkToolNames(trx, caller.orgId, body.tools ?? []);
      return createAgent(trx, caller.orgId, body);
    },
  }),
  readRoute({
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'List the agents',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(agentAnswer),
    handle: async ({ db, caller, query }) => toPage(await listAgents(db, caller.orgId, toPageRequest(query))),
  }),
  readRoute({
    path: '/v1/agents/:agentId',
    tag: 'Agents',
    summary: 'Get an agent',
    access: 'admin',
    answer: agentAnswer,
    handle: ({ db, caller, params }) => getAgent(db, caller.orgId, params.agentId),
  }),
  writeRoute({
    method: 'patch',
    path: '/v1/agents/:agentId',
    tag: 'Agents',
    summary: 'Change an agent',
    description: 'Holds from its next cycle on. `null` puts the model, the tools or a setting back to its default.',
    access: 'admin',
    status: 200,
    body: agentBody,
    example: { instructions: 'You keep the minutes.', settings: { maxSteps: null } },
    answer: agentAnswer,
    async handle({ runtime, trx, caller, params, body, afterCommit }) {
      checkModel(runtime, body.model);
      await checkToolNames(trx, caller.orgId, body.tools ?? []);
      const agent = await updateAgent(trx, caller.orgId, params.agentId, body);
      afterCommit(() => tellWorkflow(runtime, agent));
      return agent;
    },
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/agents/:agentId',
    tag: 'Agents',
    summary: 'Erase an agent',
    description:
      'It stops in the middle of what it does, leaves its spaces, and its consciousness, runs, inbox, memories, goals, plans and instructions are deleted. What it said in spaces reads “[erased]”, what it told all agents to remember is deleted. What other agents remember of it, and forks of it, stay. Export it first if it may be missed.',
    access: 'admin',
    status: 204,
    async handle({ runtime, trx, caller, params, afterCommit }) {
      await eraseAgent(trx, caller.orgId, params.agentId);
      afterCommit(() => runtime.planner.wake());
      afterCommit(() => forgetWorkflow(runtime, params.agentId));
    },
  }),
];

function checkModel(runtime: Runtime, model: string | null | undefined): void {
  const fault = model === null || model === undefined ? undefined : runtime.models.check(model);
  if (fault !== undefined) throw new AppError('unknown-model', fault, { fields: [{ path: 'model', message: fault }] });
}

async function tellWorkflow(runtime: Runtime, agent: { id: string; name: string }): Promise<void> {
  const handle = runtime.client.workflow.getHandle(agentWorkflowId(agent.id));
  await handle.signal(configChangedSignal, { name: agent.name }).catch(unlessNeverStarted);
}

// An agent that nothing ever reached has no workflow yet.
function unlessNeverStarted(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
