import { WorkflowNotFoundError } from '@temporalio/client';

import { agentWorkflowId } from '../../workflows/contract.ts';
import type { Runtime } from '../runtime.ts';

/** Ends an erased agent's workflow and deletes its histories, which hold previews and self-summaries. */
export async function forgetWorkflow({ client }: Runtime, agentId: string): Promise<void> {
  const workflowId = agentWorkflowId(agentId);
  try {
    await client.workflow.getHandle(workflowId).terminate('the agent was erased');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // one that nothing ever reached has no workflow
    return;
  }
  const { namespace } = client.options;
  const { runId: newest } = await client.workflow.getHandle(workflowId).describe();
  const runIds = new Set([newest]);
  // Earlier runs of a long life; the list may lag behind the newest.
  for await (const run of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) runIds.add(run.runId);
  for (const runId of runIds) {
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
  }
}
