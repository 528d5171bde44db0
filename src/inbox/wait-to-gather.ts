import type { AgentConfig } from '../agents/load-agent.ts';
import type { Db } from '../db/open-database.ts';

/**
 * Gives a burst the time to become one cycle. The window opens when the oldest event was written, not when the agent
 * woke: most of it passes while the signal travels, and a timer in the workflow would cost history events.
 */
export async function waitToGather(db: Db, agent: AgentConfig): Promise<void> {
  if (agent.settings.gatherMs === 0) return;
  const oldest = await db
    .selectFrom('inbox_events')
    .select('created_at')
    .where('agent_id', '=', agent.id)
    .where('status', '=', 'pending')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  const left = agent.settings.gatherMs - (Date.now() - oldest.created_at.getTime());
  // A clock that runs apart from Postgres' must not stretch the window.
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(left, agent.settings.gatherMs)));
}
