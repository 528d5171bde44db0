import { sql } from 'kysely';

import type { Trx } from '../db/open-database.ts';
import { eraseSender } from '../spaces/erase-sender.ts';
import { requireAgent } from './agent.ts';
import { deleteAgent } from './delete-agent.ts';

export const ERASED_NAME = 'erased agent';

// A foreign key's target comes after what refers to it; steps and tool calls go with their run.
const OWN_TABLES = [
  'cycle_texts',
  'compactions',
  'consciousness_messages',
  'consciousness',
  'prompts',
  'runs',
  'skips',
  'inbox_events',
  'memories',
  'memory_changes',
  'goals',
  'goal_changes',
] as const;

/**
 * Removes an agent and every word of it: what it lived through, what it knows, what it was told to be. What it said in
 * spaces is blanked, so that numbers stay gap-free. A tombstone keeps its id. What others remember of it, and forks of
 * it, are theirs and stay.
 */
export async function eraseAgent(trx: Trx, orgId: string, agentId: string): Promise<void> {
  await requireAgent(trx, orgId, agentId);
  // The head row first, as in every transaction that locks more of an agent than that.
  await trx.selectFrom('consciousness').select('agent_id').where('agent_id', '=', agentId).forUpdate().execute();
  await deleteAgent(trx, orgId, agentId);
  await eraseSender(trx, { orgId, senderId: agentId, name: ERASED_NAME });
  for (const table of OWN_TABLES) await trx.deleteFrom(table).where('agent_id', '=', agentId).execute();
  // What it told the whole organisation is its text too; an owner who wants to keep one sets it again before.
  await trx.deleteFrom('memories').where('org_id', '=', orgId).where('author_id', '=', agentId).execute();
  await forgetAnswers(trx, orgId, agentId);
  await leaveTombstone(trx, agentId);
}

/**
 * Answers kept for repeated requests hold names, instructions and messages. The key itself stays taken, and fits no
 * request any more: a late repetition must not bring the agent or its message back.
 */
async function forgetAnswers(trx: Trx, orgId: string, agentId: string): Promise<void> {
  await sql`
    update idempotency_keys set answer = '{"text": ""}', request_hash = ''
    where org_id = ${orgId}::uuid and position(${agentId}::text in answer ->> 'text') > 0`.execute(trx);
}

async function leaveTombstone(trx: Trx, agentId: string): Promise<void> {
  await trx
    .updateTable('agents')
    .set({ instructions: '', model: null, tools: null, settings: '{}', active_space_id: null, updated_at: new Date() })
    .where('id', '=', agentId)
    .execute();
  await trx.updateTable('entities').set({ name: ERASED_NAME }).where('id', '=', agentId).execute();
}
