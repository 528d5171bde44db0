import { setTimeout as rest } from 'node:timers/promises';

import { errorMessage } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { embedWaiting, type Renewal } from './embed-waiting.ts';
import { preparePgvector } from './pgvector.ts';

// Nobody waits for a vector: until it is there, words find the cycle.
const EVERY_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
// Rows are locked meanwhile, and whoever erases an agent waits for them.
const PATIENCE_MS = 30_000;

const FIRST_ROW: Renewal = { afterAgent: '00000000-0000-0000-0000-000000000000', afterCycle: 0 };

/** Gives vectors to what was lived and remembered, behind the cycles' back and never in their way. */
export function startEmbedding(
  { db, embedder, log }: Pick<Runtime, 'db' | 'embedder' | 'log'>,
  everyMs: number = EVERY_MS,
): () => Promise<void> {
  if (embedder.name === 'none') return async () => undefined;
  const stopping = new AbortController();
  // Once per start: two workers set up differently would otherwise undo each other's work for ever.
  let renewal: Renewal = FIRST_ROW;
  let failures = 0;

  const work = async (): Promise<number> => {
    const started = performance.now();
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(PATIENCE_MS)]);
      const done = await embedWaiting(db, embedder, renewal, signal);
      renewal = done.renewal;
      failures = 0;
      return done.count === 0 ? everyMs : embedder.rest * (performance.now() - started);
    } catch (error) {
      failures += 1;
      const pause = Math.min(everyMs * 2 ** failures, LONGEST_PAUSE_MS);
      if (!stopping.signal.aborted) {
        log.warn(
          { error: errorMessage(error), embedder: embedder.name },
          `cycles could not be embedded; recall finds them by words, and the next try is in ${pause / 1_000} s`,
        );
      }
      return pause;
    }
  };
  const loop = async (): Promise<void> => {
    let pause = everyMs;
    let first = true;
    while (await pauseFor(pause, stopping.signal)) {
      if (first) await preparePgvector(db).catch(() => undefined); // without it the search is only slower
      first = false;
      pause = await work();
    }
  };

  const running = loop();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** False when the wait was broken off. */
async function pauseFor(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return rest(milliseconds, true, { signal, ref: false }).catch(() => false);
}
