import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { proxyActivities, workflowInfo } from '@temporalio/workflow';

import type { Activities } from '../activities/index.ts';
import type { FireOutcome, PlanInput } from './contract.ts';

// Set by Temporal on what a Schedule starts: when it was due, however late it came.
const nominalTime = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

const { firePlan } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** One firing of a plan: its clock struck, and the agent's inbox shall know. */
export async function plan({ planId }: PlanInput): Promise<FireOutcome> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const dueAt = typedSearchAttributes.get(nominalTime) ?? startTime;
  return firePlan({ planId, dueAt: dueAt.toISOString() });
}
