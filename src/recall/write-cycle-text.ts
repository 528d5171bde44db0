import type { ModelMessage } from 'ai';

import type { Db, Trx } from '../db/open-database.ts';
import { isId } from '../db/id.ts';
import { wellFormed } from '../db/well-formed.ts';
import { cycleText, sentMessageIds } from './cycle-text.ts';

/** Makes a cycle searchable, in the transaction that keeps it. Its vector comes later, from the embedding job. */
export async function writeCycleText(
  trx: Trx,
  input: { orgId: string; agentId: string; cycle: number; messages: ModelMessage[] },
): Promise<void> {
  const spaces = await spacesOfMessages(trx, sentMessageIds(input.messages));
  const { text, summary } = cycleText(input.messages, { spaces });
  await trx
    .insertInto('cycle_texts')
    .values({
      agent_id: input.agentId,
      cycle: input.cycle,
      org_id: input.orgId,
      text: wellFormed(text),
      summary: wellFormed(summary),
    })
    .execute();
}

/** Message id → name of the space it went to. */
export async function spacesOfMessages(trx: Db | Trx, messageIds: string[]): Promise<Map<string, string>> {
  const ids = messageIds.filter(isId); // a tool of another make may answer with a messageId of its own
  if (ids.length === 0) return new Map();
  const rows = await trx
    .selectFrom('messages')
    .innerJoin('spaces', 'spaces.id', 'messages.space_id')
    .select(['messages.id', 'spaces.name'])
    .where('messages.id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}
