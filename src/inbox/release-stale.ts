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

// Three signs of life missed; a live run signs every 15 s.
const SILENT_SECONDS = 45;

/** Agents with a run that nobody seems to live any more. Each is named once per silence, so that ringing stays rare. */
export async function takeOrphanedRuns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ agent_id: string }>`
    update runs set alive_at = now()
    where id in (
      select id from runs
      where status = 'running' and alive_at < now() - make_interval(secs => ${SILENT_SECONDS})
      limit 100 for update skip locked)
    returning agent_id
  `.execute(db);
  return rows.map((row) => row.agent_id);
}
