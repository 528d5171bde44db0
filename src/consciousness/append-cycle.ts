import type { ModelMessage } from 'ai';

import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import type { MessageKind } from './consciousness-table.ts';
import { estimateTokens } from './estimate-tokens.ts';

export type CycleMessage = { kind: MessageKind; message: ModelMessage };

/** Writes what is new, never the whole consciousness again: a cycle costs the same at any age. */
export async function appendCycle(
  trx: Trx,
  input: { orgId: string; agentId: string; cycle: number; messages: CycleMessage[] },
): Promise<void> {
  const rows = input.messages.map((item) => ({ ...item, tokens: estimateTokens(item.message) }));
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const head = await trx
    .updateTable('consciousness')
    .set((eb) => ({
      cycle_count: input.cycle,
      token_estimate: eb('token_estimate', '+', tokens),
      next_seq: eb('next_seq', '+', rows.length),
      last_cycle_at: new Date(),
      updated_at: new Date(),
    }))
    .where('agent_id', '=', input.agentId)
    .where('cycle_count', '=', input.cycle - 1)
    .returning('next_seq')
    .executeTakeFirst();
  if (head === undefined) {
    throw new AppError(
      'fenced-off',
      `cycle ${input.cycle} of agent ${input.agentId} was already written by another run`,
    );
  }
  const first = head.next_seq - rows.length;
  await trx
    .insertInto('consciousness_messages')
    .values(
      rows.map((row, index) => ({
        agent_id: input.agentId,
        seq: first + index,
        org_id: input.orgId,
        cycle: input.cycle,
        kind: row.kind,
        message: JSON.stringify(row.message),
        tokens: row.tokens,
      })),
    )
    .execute();
}
