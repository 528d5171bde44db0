import { sql } from 'kysely';

import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import type { EntityKind } from '../entities/entity-table.ts';
import { AppError } from '../errors.ts';
import { appendEvents } from '../stream/append-events.ts';
import type { Message } from '../stream/space-event.ts';

export type NewMessage = {
  orgId: string;
  spaceId: string;
  sender: { id: string; name: string; kind: EntityKind };
  text: string;
  urgent?: boolean;
  runId?: string;
  draftId?: string;
};

/**
 * One message, its log event and one inbox row per other agent member, all or nothing. Returns the agents to ring
 * after commit, never inside: a signal for a rolled-back message wakes an agent to an empty inbox.
 */
export async function postMessage(trx: Trx, input: NewMessage): Promise<{ message: Message; agentIds: string[] }> {
  const counter = await trx
    .updateTable('spaces')
    .set((eb) => ({ message_seq: eb('message_seq', '+', 1) }))
    .where('id', '=', input.spaceId)
    .where('org_id', '=', input.orgId)
    .returning('message_seq')
    .executeTakeFirst();
  if (counter === undefined) throw new AppError('not-found', `there is no space ${input.spaceId}`);

  // Asked while the space is locked: a member removed a moment ago does not get the last word.
  const members = await membersOf(trx, input.spaceId);
  if (!members.some((member) => member.id === input.sender.id)) {
    throw new AppError(
      'agent-not-member',
      `${input.sender.name} is not a member of space ${input.spaceId}; add them before they can speak there`,
    );
  }

  const row = await trx
    .insertInto('messages')
    .values({
      id: newId(),
      org_id: input.orgId,
      space_id: input.spaceId,
      seq: counter.message_seq,
      sender_id: input.sender.id,
      sender_name: input.sender.name,
      sender_kind: input.sender.kind,
      text: input.text,
      urgent: input.urgent ?? false,
      run_id: input.runId ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const message = toMessage(row);
  const draft = input.draftId === undefined ? {} : { draftId: input.draftId };
  await appendEvents(trx, input.orgId, input.spaceId, [{ type: 'message.created', data: { ...message, ...draft } }]);

  const agentIds = members
    .filter((member) => member.kind === 'agent' && member.id !== input.sender.id)
    .map((member) => member.id);
  await deliver(trx, input, message.id, agentIds);
  return { message, agentIds };
}

export function toMessage(row: {
  id: string;
  space_id: string;
  seq: number;
  sender_id: string;
  sender_name: string;
  sender_kind: EntityKind;
  text: string;
  created_at: Date;
}): Message {
  return {
    id: row.id,
    spaceId: row.space_id,
    seq: row.seq,
    senderId: row.sender_id,
    senderName: row.sender_name,
    senderKind: row.sender_kind,
    text: row.text,
    createdAt: row.created_at.toISOString(),
  };
}

async function membersOf(trx: Trx, spaceId: string): Promise<{ id: string; kind: EntityKind }[]> {
  return trx
    .selectFrom('members')
    .innerJoin('entities', 'entities.id', 'members.entity_id')
    .select(['entities.id', 'entities.kind'])
    .where('members.space_id', '=', spaceId)
    .where('entities.deleted_at', 'is', null)
    .orderBy('entities.id')
    .execute();
}

async function deliver(trx: Trx, input: NewMessage, messageId: string, agentIds: string[]): Promise<void> {
  if (agentIds.length === 0) return;
  await sql`
    insert into inbox_events (id, org_id, agent_id, type, space_id, message_id, sender_id, urgent)
    select event_id, ${input.orgId}::uuid, agent_id, 'message', ${input.spaceId}::uuid, ${messageId}::uuid,
           ${input.sender.id}::uuid, ${input.urgent ?? false}::boolean
    from unnest(${agentIds.map(() => newId())}::uuid[], ${agentIds}::uuid[]) as recipient (event_id, agent_id)
  `.execute(trx);
}
