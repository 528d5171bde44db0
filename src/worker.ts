import { NativeConnection, Worker } from '@temporalio/worker';

import { createActivities } from '../activities/index.ts';
import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { openRuntime, type Runtime } from './runtime.ts';
import { startEmbedding } from './recall/start-embedding.ts';
import { startJanitor } from './stream/janitor.ts';
import { installTemporalLogging } from './stack/temporal-logging.ts';
import { workflowBundle } from './stack/workflow-bundle.ts';

// Longer than an ordinary model reply: a cycle under way ends by itself, and others resume elsewhere.
const GRACE = '10 seconds';
// By default beats are held back to 80 % of the timeout, and a stop waits as long (up to 4 s measured).
const HEARTBEAT_THROTTLE = '300 milliseconds';
// How long the server keeps work for the worker that has the agent in memory. With the default of 10 s an agent whose
// worker was killed stayed deaf that long; one that is only busy costs another worker the replay of a short history.
const STICKY_WAIT = '2 seconds';

export async function startWorker(runtime: Runtime): Promise<{ stop(): Promise<void>; done: Promise<void> }> {
  const { config } = runtime;
  const { apiKey, tls, namespace } = config.temporal;
  const connection = await NativeConnection.connect({
    address: runtime.temporalAddress,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && { tls }),
  });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: config.taskQueue,
    workflowBundle: await workflowBundle(),
    activities: createActivities(runtime),
    maxConcurrentActivityTaskExecutions: config.workerConcurrency,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    stickyQueueScheduleToStartTimeout: STICKY_WAIT,
    shutdownGraceTime: GRACE,
  });
  const stopCleaning = startJanitor(runtime);
  const stopEmbedding = startEmbedding(runtime);
  const run = async (): Promise<void> => {
    try {
      await worker.run();
    } finally {
      stopCleaning();
      await stopEmbedding();
      await connection.close();
    }
  };
  const done = run();
  return {
    done,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}

/** The worker role alone: `npm run worker`. */
async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  installTemporalLogging(log);
  if (config.databaseUrl === undefined || config.temporal.address === undefined) {
    console.error('The worker role needs DATABASE_URL and TEMPORAL_ADDRESS; `npm start` brings servers of its own.');
    process.exit(1);
  }
  const runtime = await openRuntime({
    config,
    databaseUrl: config.databaseUrl,
    temporalAddress: config.temporal.address,
    log,
  });
  const worker = await startWorker(runtime);
  const stop = (): void => void worker.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  log.info({ taskQueue: config.taskQueue }, 'worker ready');
  try {
    await worker.done;
  } finally {
    await runtime.close();
  }
}

if (import.meta.main) await main();
