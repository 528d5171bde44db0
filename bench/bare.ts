import type { ChildProcess } from 'node:child_process';

import type { Client } from '@temporalio/client';

import { BARE_QUEUE } from './bare-queue.ts';

export type Bare = {
  /** Milliseconds from sending a signal until the activity it leads to runs in the worker. */
  roundTrip(): Promise<number>;
};

const PATIENCE_MS = 10_000;

/** The yardstick: one sleeping workflow, a signal, an activity that does nothing. */
export async function startBare(client: Client, worker: ChildProcess): Promise<Bare> {
  const handle = await client.workflow.start('bare', { workflowId: 'bench-bare', taskQueue: BARE_QUEUE });
  let tickets = 0;
  return {
    async roundTrip() {
      const ticket = (tickets += 1);
      const arrived = touched(worker, ticket);
      const sent = performance.now();
      await handle.signal('go', ticket);
      return (await arrived) - sent;
    },
  };
}

function touched(worker: ChildProcess, ticket: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the bare activity did not run within ${PATIENCE_MS} ms`)),
      PATIENCE_MS,
    );
    const hear = (message: unknown): void => {
      if (typeof message !== 'object' || message === null || !('ticket' in message) || message.ticket !== ticket)
        return;
      clearTimeout(timer);
      worker.off('message', hear);
      resolve(performance.now());
    };
    worker.on('message', hear);
  });
}
