import type { ModelMessage } from 'ai';

import type { Trx } from '../db/open-database.ts';
import { isId } from '../db/id.ts';
import { wellFormed } from '../db/well-formed.ts';
import { cycleText, sentMessageIds } from './cycle-text.ts';

/** Makes a cycle searchable, in the transaction that keeps it. Its vector comes later, from the embedding job. */
export async function writeCycleText(
  trx: Trx,
  input: { orgId: string; agentId: string; cycle: number; messages: ModelMessage[] },
): Promise<void> {
  const spaces = await spacesOfMessages(trx, sentMessageIds(input.messages).filter(isId));
  const { text, summary } = cycleText(input.messages, (messageId) => spaces.get(messageId));
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

async function spacesOfMessages(trx: Trx, messageIds: string[]): Promise<Map<string, string>> {
  if (messageIds.length === 0) return new Map();
  const rows = await trx
    .selectFrom('messages')
    .innerJoin('spaces', 'spaces.id', 'messages.space_id')
    .select(['messages.id', 'spaces.name'])
    .where('messages.id', 'in', messageIds)
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}
