import type { Db } from '../db/open-database.ts';
import { writeLiveEvents, type LiveEvent } from './write-live-events.ts';

export type EventWriter = {
  write(event: LiveEvent): void;
  /** Settles when everything written so far is in the log. What must follow a draft's deltas waits for this. */
  drained(): Promise<void>;
};

// One transaction a tick serves every cycle of the process.
// 40 ms: at 10 ms fifty streaming agents kept a core busy with transactions; at 150 ms readers saw text stutter.
const TICK_MS = 40;
// A process that was quiet has these ticks in hand, so that "thinking", the first words and the rest of a short reply
// go out at once. With none in hand every first delta came 30 ms late, behind its own agent's status.
const TICKS_IN_HAND = 3;
const RETRY_MS = 500;

/** The one batcher of a process: deltas and notices of all its cycles, one transaction a tick. */
export function createEventWriter(db: Db, onError: (error: unknown) => void): EventWriter {
  let queue: LiveEvent[] = [];
  let flushing = false;
  let nextTick = 0;
  let written = 0;
  let flushed = 0;
  let waiting: { until: number; settle: () => void }[] = [];

  const flush = async (): Promise<void> => {
    if (flushing) return;
    flushing = true;
    try {
      while (queue.length > 0) await flushOnce();
    } finally {
      flushing = false; // in the very turn that saw an empty queue: a write between the two would lie there unseen
    }
  };

  const flushOnce = async (): Promise<void> => {
    const wait = nextTick - Date.now();
    if (wait > 0 && waiting.length === 0) await pause(wait); // a message that waits for its deltas is not held up
    await nextTurn(); // a draft's start and its first words come in one turn, and so travel together
    nextTick = Math.max(nextTick, Date.now() - TICKS_IN_HAND * TICK_MS) + TICK_MS;
    const batch = queue;
    queue = [];
    try {
      await db.transaction().execute((trx) => writeLiveEvents(trx, batch));
    } catch (error) {
      onError(error);
      queue = [...batch, ...queue]; // Postgres is away: order is kept and nothing is dropped
      await pause(RETRY_MS);
      return;
    }
    flushed += batch.length;
    for (const one of waiting) if (one.until <= flushed) one.settle();
    waiting = waiting.filter((one) => one.until > flushed);
  };

  return {
    write(event) {
      written += 1;
      queue.push(event);
      void flush();
    },
    drained() {
      if (flushed >= written) return Promise.resolve();
      // Up to here and no further: while other cycles keep writing, the queue may never be empty.
      return new Promise((resolve) => {
        waiting.push({ until: written, settle: resolve });
        void flush();
      });
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
