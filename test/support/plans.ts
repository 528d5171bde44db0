import type { Db } from '../../src/db/open-database.ts';
import type { Plan } from '../../src/plans/plan.ts';
import type { Room } from './room.ts';

/** Sets a plan as its owner would, over HTTP. */
export async function setPlan(url: string, room: Room, id: string, body: object): Promise<Plan> {
  const response = await fetch(`${url}/v1/agents/${room.agentId}/plans/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${room.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status !== 200) throw new Error(`setting a plan answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Plan;
}

/** What the plans of the room's agent brought into its inbox, and into which cycle it went. */
export function firings(db: Db, room: Room) {
  return db
    .selectFrom('inbox_events')
    .innerJoin('runs', 'runs.id', 'inbox_events.run_id')
    .select(['inbox_events.payload', 'inbox_events.status', 'runs.status as run', 'runs.cycle'])
    .where('inbox_events.agent_id', '=', room.agentId)
    .where('inbox_events.type', '=', 'plan')
    .orderBy('inbox_events.position')
    .execute();
}
