import { loadAgent } from '../agents/load-agent.ts';
import { lockAgent } from '../agents/lock-agent.ts';
import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { cutOutput } from './cut-output.ts';
import { selectCalls, toOpenCall, type OpenCall } from './open-calls.ts';

export type CallAnswer = { output: unknown } | { error: string };

/**
 * Ends a pending call and puts its answer in the agent's inbox: both or neither, and for one answer only. Names the
 * agent in the call, which the caller rings once this is committed.
 */
export async function answerCall(trx: Trx, orgId: string, callId: string, answer: CallAnswer): Promise<OpenCall> {
  const found = await selectCalls(trx, orgId).where('tool_calls.id', '=', callId).executeTakeFirst();
  if (found === undefined) throw noSuchCall(callId);
  // The agent before the call, as an erasure takes them.
  await lockAgent(trx, orgId, found.agent_id);
  const row = await trx
    .selectFrom('tool_calls')
    .select('status')
    .where('id', '=', callId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw noSuchCall(callId);
  if (row.status !== 'pending') {
    throw new AppError('conflict', `tool call ${callId} is ${row.status}, not pending; only the first answer counts`);
  }

  const failed = 'error' in answer;
  const longest = (await loadAgent(trx, found.agent_id))!.settings.maxToolResultChars;
  const { output, whole } = failed
    ? { output: { error: answer.error }, whole: null }
    : cutOutput(answer.output, longest, callId);
  const status = failed ? 'failed' : 'done';
  await trx
    .updateTable('tool_calls')
    .set({ status, output: JSON.stringify(output), whole_output: whole, ended_at: new Date() })
    .where('id', '=', callId)
    .execute();
  const payload = { callId, tool: found.name, ...(failed ? { error: answer.error } : { output }) };
  await trx
    .insertInto('inbox_events')
    .values({
      id: newId(),
      org_id: orgId,
      agent_id: found.agent_id,
      type: 'tool_result',
      payload: JSON.stringify(payload),
    })
    .execute();
  return { ...toOpenCall(found), status };
}

function noSuchCall(callId: string): AppError {
  return new AppError('not-found', `there is no tool call ${callId}`);
}
