import { condition, proxyActivities, setHandler, sleep } from '@temporalio/workflow';

import type { Activities } from '../../activities/index.ts';
import { inboxSignal, type AgentInput } from '../../workflows/contract.ts';

const { think } = proxyActivities<Activities>({ startToCloseTimeout: '2 hours' });

/** An agent workflow as a careless upgrade would leave it: a timer where the recorded ones have none. */
export async function agent({ agentId }: AgentInput): Promise<void> {
  let woken = false;
  setHandler(inboxSignal, () => {
    woken = true;
  });
  for (;;) {
    await condition(() => woken);
    woken = false;
    await sleep('50 milliseconds');
    await think({ agentId, runId: 'run' });
  }
}
