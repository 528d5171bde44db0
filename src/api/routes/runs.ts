import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';

import { agentWorkflowId, stopSignal } from '../../../workflows/contract.ts';
import { requireAgent } from '../../agents/agent.ts';
import { loadWindow } from '../../consciousness/load-window.ts';
import { getRun } from '../../cycle/get-run.ts';
import { listRuns } from '../../cycle/list-runs.ts';
import { listSkips } from '../../cycle/list-skips.ts';
import { runningRun } from '../../cycle/running-run.ts';
import { AppError } from '../../errors.ts';
import { listInbox } from '../../inbox/list-inbox.ts';
import type { Runtime } from '../../runtime.ts';
import { idField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';
import {
  consciousnessAnswer,
  inboxAnswer,
  INBOX_STATUSES,
  runAnswer,
  runDetailAnswer,
  skipAnswer,
} from './run-answers.ts';

const SIGNAL_DEADLINE_MS = 5_000;

export const runRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/runs',
    tag: 'Runs',
    summary: 'List an agent’s think cycles, newest first',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(runAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      return toPage(await listRuns(db, caller.orgId, params.agentId, toPageRequest(query)));
    },
  }),
  readRoute({
    path: '/v1/runs/:runId',
    tag: 'Runs',
    summary: 'Get a think cycle with its steps, tool calls, usage and prompt',
    access: 'admin',
    answer: runDetailAnswer,
    handle: ({ db, caller, params }) => getRun(db, caller.orgId, params.runId),
  }),
  writeRoute({
    method: 'post',
    path: '/v1/agents/:agentId/stop',
    tag: 'Runs',
    summary: 'Stop what an agent is doing',
    description: 'Finished steps are kept, the unfinished one is dropped. The next event wakes the agent as usual.',
    access: 'admin',
    status: 202,
    answer: z.strictObject({ runId: idField }),
    async handle({ runtime, trx, caller, params }) {
      await requireAgent(trx, caller.orgId, params.agentId);
      const runId = await runningRun(trx, caller.orgId, params.agentId);
      if (runId === undefined) throw asleep(params.agentId);
      await signalStop(runtime, params.agentId, runId);
      return { runId };
    },
  }),
  readRoute({
    path: '/v1/agents/:agentId/consciousness',
    tag: 'Runs',
    summary: 'What an agent’s next think cycle would be given, without its instructions; atCycle: as it stood then',
    access: 'admin',
    query: z.strictObject({
      atCycle: z
        .string()
        .regex(/^\d{1,9}$/, 'must be a whole number')
        .transform(Number)
        .optional(),
    }),
    answer: consciousnessAnswer,
    async handle({ db, caller, params, query: { atCycle } }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const window = await loadWindow(db, params.agentId, atCycle === undefined ? {} : { atCycle });
      return { cycleCount: window.cycleCount, tokenEstimate: window.tokenEstimate, messages: window.messages };
    },
  }),
  readRoute({
    path: '/v1/agents/:agentId/inbox',
    tag: 'Runs',
    summary: 'List what reached an agent, newest first',
    access: 'admin',
    query: pageQuery.extend({ status: z.enum(INBOX_STATUSES).optional() }),
    answer: pageOf(inboxAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const { status, ...page } = query;
      const input = { orgId: caller.orgId, agentId: params.agentId, ...(status !== undefined && { status }) };
      return toPage(await listInbox(db, input, toPageRequest(page)));
    },
  }),
  readRoute({
    path: '/v1/agents/:agentId/skips',
    tag: 'Runs',
    summary: 'List the wake-ups an agent skipped and what they cost, newest first',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(skipAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      return toPage(await listSkips(db, caller.orgId, params.agentId, toPageRequest(query)));
    },
  }),
];

async function signalStop(runtime: Runtime, agentId: string, runId: string): Promise<void> {
  const { client } = runtime;
  const handle = client.workflow.getHandle(agentWorkflowId(agentId));
  try {
    await client.connection.withDeadline(Date.now() + SIGNAL_DEADLINE_MS, () => handle.signal(stopSignal, { runId }));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw asleep(agentId);
    throw error;
  }
}

function asleep(agentId: string): AppError {
  return new AppError('agent-asleep', `agent ${agentId} is asleep; there is nothing to stop`);
}
