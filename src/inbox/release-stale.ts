import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';

// Long on purpose: ringing twice costs one empty activity, ringing never costs a silent agent.
const STALE_SECONDS = 30;

/**
 * Rows that were signalled but not claimed for a while, though their agent has no run under way: its workflow was
 * terminated, or its history lost. They count as not dispatched again, and the next signal brings the agent back.
 */
export async function releaseStale(db: Db): Promise<void> {
  await sql`
    update inbox_events set dispatched_at = null, rings = rings + 1
    where id in (
      select waiting.id from inbox_events as waiting
      where waiting.status = 'pending' and waiting.dispatched_at < now() - make_interval(secs => ${STALE_SECONDS})
        and not exists (
          select from runs where runs.agent_id = waiting.agent_id and runs.status = 'running'
            and runs.started_at > now() - interval '2 hours')
      limit 100 for update skip locked)
  `.execute(db);
}
