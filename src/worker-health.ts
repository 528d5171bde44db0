import { hostname } from 'node:os';

import { Connection } from '@temporalio/client';

import { readConfig } from './config.ts';

// Worker processes ask for work in polls of up to 60 s each; one that has not asked for this long does not ask.
const SILENCE_MS = 90_000;
// TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY of Temporal's API.
const ACTIVITIES = 2;

/** For container health checks: fails unless a worker of this host asks Temporal for think cycles. */
async function main(): Promise<void> {
  const { temporal, taskQueue } = readConfig();
  const { address = 'localhost:7233', apiKey, tls, namespace } = temporal;
  const connection = await Connection.connect({
    address,
    connectTimeout: 5_000,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && { tls }),
  });
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: ACTIVITIES,
    });
    // The SDK names a worker <process id>@<host name>.
    const own = pollers?.filter((poller) => poller.identity?.endsWith(`@${hostname()}`)) ?? [];
    const lastSeen = Math.max(0, ...own.map((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1_000));
    if (Date.now() - lastSeen > SILENCE_MS) {
      throw new Error(
        `no worker on ${hostname()} polls task queue ${taskQueue} of ${address}; look at the worker's log`,
      );
    }
  } finally {
    await connection.close();
  }
}

await main();
