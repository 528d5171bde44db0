import type { ModelMessage } from 'ai';

import type { Db, Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';

export const MESSAGE_VERSION = 7;

export type Window = { cycleCount: number; tokenEstimate: number; messages: ModelMessage[] };

/** What the next cycle would be given, without its instructions. */
export async function loadWindow(db: Db | Trx, agentId: string): Promise<Window> {
  const head = await db
    .selectFrom('consciousness')
    .select(['cycle_count', 'token_estimate', 'window_from_seq'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  if (head === undefined) return { cycleCount: 0, tokenEstimate: 0, messages: [] };
  const rows = await db
    .selectFrom('consciousness_messages')
    .select(['seq', 'message', 'message_version'])
    .where('agent_id', '=', agentId)
    .where('seq', '>=', head.window_from_seq)
    .orderBy('seq')
    .execute();
  const unknown = rows.find((row) => row.message_version !== MESSAGE_VERSION);
  if (unknown !== undefined) {
    throw new AppError(
      'conflict',
      `message ${unknown.seq} of agent ${agentId} has version ${unknown.message_version}; this release reads version ${MESSAGE_VERSION}`,
    );
  }
  return { cycleCount: head.cycle_count, tokenEstimate: head.token_estimate, messages: rows.map((row) => row.message) };
}
