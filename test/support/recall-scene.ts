import { createAgent } from '../../src/agents/create-agent.ts';
import type { Db } from '../../src/db/open-database.ts';
import { inboxMessage } from '../../src/prompts/inbox-message.ts';
import { embedWaiting, type Renewal } from '../../src/recall/embed-waiting.ts';
import type { Embedder } from '../../src/recall/embedder.ts';
import type { Scope } from '../../src/recall/found.ts';
import { writeCycleText } from '../../src/recall/write-cycle-text.ts';

export const FOREVER = new AbortController().signal;

export async function agentOf(db: Db, orgId: string): Promise<Scope> {
  const input = { name: 'Ada', instructions: 'Be kind.' };
  const agent = await db.transaction().execute((trx) => createAgent(trx, orgId, input));
  return { orgId, agentId: agent.id };
}

/** One cycle in which Ana said something. */
export async function live(db: Db, scope: Scope, cycle: number, text: string): Promise<void> {
  const at = new Date();
  const id = '01970000-0000-7000-8000-000000000001';
  const event = {
    id,
    position: 1,
    type: 'message' as const,
    status: 'done' as const,
    urgent: false,
    createdAt: at,
    failures: 0,
    message: { id, seq: 1, text },
    sender: { id, name: 'Ana', kind: 'human' as const },
  };
  const messages = [inboxMessage([event], at), { role: 'assistant' as const, content: `Heard of it in ${cycle}.` }];
  await db.transaction().execute((trx) => writeCycleText(trx, { ...scope, cycle, messages }));
}

/** Until no row waits for a vector, nor for one of this embedder when told from where to look. */
export async function embedAll(db: Db, embedder: Embedder, from?: Renewal): Promise<void> {
  let renewal = from;
  for (;;) {
    const done = await embedWaiting(db, embedder, renewal, FOREVER);
    renewal = done.renewal;
    if (done.count === 0 && renewal === undefined) return;
  }
}
