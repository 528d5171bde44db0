import { fileURLToPath } from 'node:url';

import { NativeConnection, Worker } from '@temporalio/worker';

import { readConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { openRuntime } from '../src/runtime.ts';
import { installTemporalLogging } from '../src/stack/temporal-logging.ts';
import { startWorker } from '../src/worker.ts';
import { BARE_QUEUE } from './bare-queue.ts';
import type { BareActivities } from './bare-workflow.ts';

// The product's worker and the bare one in one process: whatever slows this process down slows down both.
const config = readConfig();
const log = createLog(config.logLevel);
installTemporalLogging(log);
const { databaseUrl, temporal } = config;
if (databaseUrl === undefined || temporal.address === undefined) throw new Error('the bench names both servers');

const runtime = await openRuntime({ config, databaseUrl, temporalAddress: temporal.address, log });
const worker = await startWorker(runtime);
const connection = await NativeConnection.connect({ address: temporal.address });
const activities: BareActivities = { touch: (ticket) => Promise.resolve(void process.send?.({ ticket })) };
const bare = await Worker.create({
  connection,
  namespace: temporal.namespace,
  taskQueue: BARE_QUEUE,
  workflowsPath: fileURLToPath(new URL('bare-workflow.ts', import.meta.url)),
  activities,
});
const bareDone = bare.run();
process.once('disconnect', () => void close()); // the bench is done, or gone
process.send?.({ ready: true });

async function close(): Promise<void> {
  bare.shutdown();
  await Promise.all([bareDone, worker.stop()]);
  await connection.close();
  await runtime.close();
}
