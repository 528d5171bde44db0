import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { getAgent, type Agent } from './agent.ts';
import type { GivenSettings } from './settings.ts';

export type NewAgent = {
  name: string;
  instructions: string;
  model?: string | null | undefined;
  tools?: string[] | null | undefined;
  settings?: GivenSettings | undefined;
};

/** An agent that sleeps. Its workflow is started by the first event that reaches it. */
export async function createAgent(trx: Trx, orgId: string, input: NewAgent): Promise<Agent> {
  const id = newId();
  await trx.insertInto('entities').values({ id, org_id: orgId, kind: 'agent', name: input.name }).execute();
  await trx
    .insertInto('agents')
    .values({
      id,
      org_id: orgId,
      instructions: input.instructions,
      model: input.model ?? null,
      tools: input.tools ?? null,
      settings: JSON.stringify(input.settings ?? {}),
    })
    .execute();
  return getAgent(trx, orgId, id);
}
