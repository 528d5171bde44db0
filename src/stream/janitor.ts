import { errorMessage } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { pruneDeltas } from './drafts.ts';

const EVERY_MS = 60_000;

/** Tidies up behind finished work, now and then. */
export function startJanitor(runtime: Runtime): () => void {
  const timer = setInterval(() => {
    void pruneDeltas(runtime.db).catch((error: unknown) =>
      runtime.log.warn({ error: errorMessage(error) }, 'old deltas could not be pruned; trying again in a minute'),
    );
  }, EVERY_MS);
  return () => clearInterval(timer);
}
