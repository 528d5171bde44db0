import { Context } from '@temporalio/activity';

import type { Runtime } from '../src/runtime.ts';

// Well inside the 5 s heartbeat timeout; a stop arrives with the answer to a beat.
const BEAT_MS = 200;
// The sweep takes a run whose row is older than 45 s for orphaned.
const SIGN_MS = 15_000;

/** Tells Temporal that the activity lives, and the run's row too, so that the sweep leaves it alone. */
export function keepAlive(runtime: Runtime, agentId: string): () => void {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
  const sign = setInterval(() => {
    void runtime.db
      .updateTable('runs')
      .set({ alive_at: new Date() })
      .where('agent_id', '=', agentId)
      .where('status', '=', 'running')
      .execute()
      .catch(() => undefined); // Postgres away: the next sign, or the next attempt, will say it
  }, SIGN_MS);
  return () => {
    clearInterval(beat);
    clearInterval(sign);
  };
}
