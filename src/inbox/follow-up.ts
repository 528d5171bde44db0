import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import type { InboxEvent } from './inbox-event.ts';

/** A wake-up that an unfinished cycle leaves for the next one. */
export type FollowUp = { name: 'continuation'; text: string; round: number };

/** What a cycle that ran out of steps asks of the next one; undefined when it has asked often enough. */
export function followUpOf(events: InboxEvent[], text: string, most: number): FollowUp | undefined {
  const rounds = events.flatMap(({ payload }) =>
    payload !== undefined && 'name' in payload && payload.name === 'continuation' && 'round' in payload
      ? [Number(payload.round)]
      : [],
  );
  const round = Math.max(0, ...rounds) + 1;
  return round > most ? undefined : { name: 'continuation', text, round };
}

/** Written with the cycle's commit, so it needs no signal: the commit's outcome says that more waits. */
export async function leaveFollowUp(
  trx: Trx,
  owner: { orgId: string; agentId: string },
  followUp: FollowUp,
): Promise<void> {
  await trx
    .insertInto('inbox_events')
    .values({
      id: newId(),
      org_id: owner.orgId,
      agent_id: owner.agentId,
      type: 'service',
      payload: JSON.stringify(followUp),
      dispatched_at: new Date(),
    })
    .execute();
}
