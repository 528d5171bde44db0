import { randomUUID } from 'node:crypto';

import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';

import { registerSearchAttributes } from '../../src/stack/register-search-attributes.ts';
import { workflowBundle } from '../../src/stack/workflow-bundle.ts';
import {
  AGENT_WORKFLOW,
  inboxSignal,
  statusQuery,
  stopSignal,
  type SettleInput,
  type ThinkOutcome,
} from '../../workflows/contract.ts';
import { sharedTemporal } from '../support/stack.ts';
import { eventually } from '../support/world.ts';

// Activities by hand: between the last word of a failing cycle and its report lie milliseconds that no real one holds open.
test('a stop that arrives as the cycle fails ends the run instead of its wait for another try', async () => {
  const address = sharedTemporal();
  const taskQueue = `stop-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  await registerSearchAttributes(connection, 'default');
  const native = await NativeConnection.connect({ address });
  const thinking = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const settled: SettleInput[] = [];
  const outcome = { cycle: 1, consumed: [], more: false };
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: {
      async think(): Promise<ThinkOutcome> {
        thinking.resolve();
        await stopped.promise; // it has failed already, and does not look up any more
        return { ...outcome, kind: 'failed', retryInMs: 600_000 };
      },
      settle(input: SettleInput): Promise<ThinkOutcome> {
        settled.push(input);
        return Promise.resolve({ ...outcome, kind: 'stopped' });
      },
    },
  });
  const running = worker.run();
  const client = new Client({ connection });
  const agentId = randomUUID();
  const handle = await client.workflow.signalWithStart(AGENT_WORKFLOW, {
    workflowId: `agent:${agentId}`,
    taskQueue,
    args: [{ agentId, orgId: randomUUID(), name: 'Ada', heartbeatMs: 60_000 }],
    signal: inboxSignal,
    signalArgs: [{ events: [{ id: randomUUID(), type: 'message' }] }],
  });
  onTestFinished(async () => {
    await handle.terminate();
    worker.shutdown();
    await running;
    await native.close();
    await connection.close();
  });

  await thinking.promise;
  const { runId } = await handle.query(statusQuery);
  await handle.signal(stopSignal, { runId: runId! });
  await handle.query(statusQuery); // answered behind the signal
  stopped.resolve();
  await eventually('the run is settled', 5_000, async () => settled.length > 0);
  expect(settled).toMatchObject([{ agentId, runId, as: 'stopped' }]);
  await eventually('the agent sleeps', 5_000, async () => (await handle.query(statusQuery)).status === 'asleep');
});
