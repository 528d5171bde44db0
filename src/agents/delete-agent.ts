import type { Trx } from '../db/open-database.ts';
import { revokeKeysOf } from '../keys/revoke-key.ts';
import { erasePlans } from '../plans/delete-plans.ts';
import { leaveAllSpaces } from '../spaces/members.ts';
import { discardDraft, type Draft } from '../stream/drafts.ts';
import { requireAgent } from './agent.ts';
import { lockAgent } from './lock-agent.ts';

const REASON = 'the agent was deleted';

/** The agent leaves its spaces, hears nothing more and is found no more. The first half of erasing it. */
export async function deleteAgent(trx: Trx, orgId: string, agentId: string): Promise<void> {
  await requireAgent(trx, orgId, agentId);
  const runIds = await endRuns(trx, orgId, agentId);
  const drafts = await openDrafts(trx, runIds);
  await lockSpaces(trx, agentId, drafts);
  // After its runs and spaces, before anything of it goes: whoever is changing it now has finished, or will find it gone.
  await lockAgent(trx, orgId, agentId);
  for (const draft of drafts) await discardDraft(trx, orgId, draft);
  await leaveAllSpaces(trx, orgId, agentId);
  await trx
    .updateTable('inbox_events')
    .set({ status: 'skipped', error: REASON, ended_at: new Date() })
    .where('agent_id', '=', agentId)
    .where('status', 'in', ['pending', 'claimed'])
    .execute();
  await erasePlans(trx, agentId);
  await revokeKeysOf(trx, orgId, agentId);
  await trx
    .updateTable('entities')
    .set({ deleted_at: new Date() })
    .where('id', '=', agentId)
    .where('org_id', '=', orgId)
    .execute();
}

/** A raised fence refuses what a worker in the middle of a cycle would still write. */
async function endRuns(trx: Trx, orgId: string, agentId: string): Promise<string[]> {
  const runs = await trx
    .updateTable('runs')
    .set((eb) => ({
      status: 'stopped',
      stop_reason: 'stopped',
      error: REASON,
      fence: eb('fence', '+', 1),
      ended_at: new Date(),
    }))
    .where('agent_id', '=', agentId)
    .where('org_id', '=', orgId)
    .where('status', '=', 'running')
    .returning('id')
    .execute();
  return runs.map((run) => run.id);
}

async function openDrafts(trx: Trx, runIds: string[]): Promise<Draft[]> {
  if (runIds.length === 0) return [];
  const rows = await trx
    .selectFrom('drafts')
    .select(['id', 'space_id', 'attempt'])
    .where('run_id', 'in', runIds)
    .where('ended_at', 'is', null)
    .execute();
  return rows.map((row) => ({ id: row.id, spaceId: row.space_id, attempt: row.attempt }));
}

/** All at once and in id order, as everyone who locks several spaces does: nobody waits in a circle. */
async function lockSpaces(trx: Trx, agentId: string, drafts: Draft[]): Promise<void> {
  await trx
    .selectFrom('spaces')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('id', 'in', eb.selectFrom('members').select('space_id').where('entity_id', '=', agentId)),
        eb('id', '=', eb.fn.any(eb.val(drafts.map((draft) => draft.spaceId)))),
      ]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
