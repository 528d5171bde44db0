import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from './stack-error.ts';

interface Server {
  /** Where its clients expect it; a server that is started again must come back there. */
  address: string;
  ended: Promise<string>;
  stop(): Promise<void>;
}

interface KeepOptions<Kept extends Server> {
  name: string;
  /** Starts it; the second time with the address that it had. */
  start: (address: string | undefined) => Promise<Kept>;
  progress: Progress;
}

// A server that ends this often in a row has a reason that another start does not cure.
const MOST_RESTARTS = 5;
const CALM_MILLISECONDS = 60_000;
// Orphaned backends of a killed Postgres hold its memory for a moment and make the first try fail.
const PAUSE_MILLISECONDS = 300;

/** Starts a server and starts it again, at the same address, whenever it ends unasked. */
export async function keepRunning<Kept extends Server>(options: KeepOptions<Kept>) {
  const { name, start, progress } = options;
  const first = await start(undefined);
  let stopping = false;
  let current: Promise<Kept> = Promise.resolve(first);

  const watch = async (): Promise<string> => {
    for (let restarts = 0, calmSince = Date.now(); ;) {
      const how = await current.then(
        (server) => server.ended,
        (error: Error) => `while it started: ${error.message}`,
      );
      if (stopping) return `${name} was stopped`;
      if (Date.now() - calmSince > CALM_MILLISECONDS) restarts = 0;
      if (restarts === MOST_RESTARTS) return `${name} ended ${how}, for the ${MOST_RESTARTS + 1}th time in a row`;
      restarts += 1;
      calmSince = Date.now();
      progress(`${name} ended ${how}; starting it again`);
      await sleep(PAUSE_MILLISECONDS);
      current = startAgain(first.address);
    }
  };
  const startAgain = async (address: string): Promise<Kept> => {
    const server = await start(address);
    if (server.address === address) return server;
    await server.stop();
    throw new Error(`another program has taken ${address}`);
  };

  return {
    server: first,
    /** Settles with a sentence when it is given up, and when it was stopped. */
    ended: watch(),
    stop: async (): Promise<void> => {
      stopping = true;
      await current.then((server) => server.stop()).catch(() => undefined); // one that could not start needs no stop
    },
  };
}
