import { appendCycle } from '../../src/consciousness/append-cycle.ts';
import { newId } from '../../src/db/id.ts';
import type { Db } from '../../src/db/open-database.ts';

/** One kept cycle of an agent as a think cycle would leave it: its run, its messages and its archived text. */
export async function liveCycle(
  db: Db,
  agent: { id: string; orgId: string },
  cycle: number,
  during?: (runId: string) => Promise<unknown>,
): Promise<string> {
  const runId = newId();
  const inbox = { role: 'user' as const, content: `INBOX of cycle ${cycle}` };
  await db
    .insertInto('consciousness')
    .values({ agent_id: agent.id, org_id: agent.orgId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto('runs')
    .values({
      id: runId,
      org_id: agent.orgId,
      agent_id: agent.id,
      cycle,
      status: 'committed',
      model: 'test:default',
      agent_version: 1,
      prompt_hash: Buffer.alloc(32),
      inbox_message: JSON.stringify(inbox),
      event_count: 1,
    })
    .execute();
  await during?.(runId);
  await db.transaction().execute(async (trx) => {
    const messages = [
      { kind: 'inbox' as const, message: inbox },
      { kind: 'response' as const, message: { role: 'assistant' as const, content: `Done with cycle ${cycle}.` } },
    ];
    await appendCycle(trx, { orgId: agent.orgId, agentId: agent.id, cycle, messages });
    await trx
      .insertInto('cycle_texts')
      .values({ agent_id: agent.id, cycle, org_id: agent.orgId, text: `text ${cycle}`, summary: `summary ${cycle}` })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  return runId;
}
