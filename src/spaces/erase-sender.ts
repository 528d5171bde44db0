import { sql } from 'kysely';

import type { Trx } from '../db/open-database.ts';

const ERASED_TEXT = '[erased]';

/** Blanks what one member said and was called, in the messages and in the log of every space of the organisation. */
export async function eraseSender(trx: Trx, input: { orgId: string; senderId: string; name: string }): Promise<void> {
  const { orgId, senderId, name } = input;
  await trx
    .updateTable('messages')
    .set({ text: ERASED_TEXT, sender_name: name })
    .where('sender_id', '=', senderId)
    .where('org_id', '=', orgId)
    .execute();
  // Half-written text goes, as it would in a while anyway. Drafts stay, ended: they refuse what a worker that has not
  // heard of the erasure still sends for them.
  await sql`
    delete from space_events where type = 'message.delta' and draft_id in (
      select (data ->> 'draftId')::uuid from space_events
      where org_id = ${orgId}::uuid and type = 'message.started' and data ->> 'senderId' = ${senderId})`.execute(trx);
  await sql`
    delete from space_events
    where org_id = ${orgId}::uuid and type = 'tool.input.delta' and data ->> 'agentId' = ${senderId}`.execute(trx);
  // Reads the whole log of the organisation: a member that left long ago is found nowhere else, and this is rare.
  await sql`
    update space_events set data = (data - 'output' - 'error')
      || case when data ? 'text' then jsonb_build_object('text', ${ERASED_TEXT}::text) else '{}' end
      || case when data ? 'reason' then jsonb_build_object('reason', ${ERASED_TEXT}::text) else '{}' end
      || case when data ? 'detail' then jsonb_build_object('detail', ${ERASED_TEXT}::text) else '{}' end
      || case when data ? 'senderName' then jsonb_build_object('senderName', ${name}::text) else '{}' end
      || case when data ? 'entityId' then jsonb_build_object('name', ${name}::text) else '{}' end
    where org_id = ${orgId}::uuid
      and ${senderId} in (data ->> 'senderId', data ->> 'agentId', data ->> 'entityId')`.execute(trx);
}
