import type { Db } from '../db/open-database.ts';
import { eventWords } from '../inbox/event-words.ts';
import { pendingPreview } from '../inbox/join-run.ts';

// The start of a message says what it is about.
const READ_OF_EACH = 500;

/** What waits in an agent's inbox, as a question to its past. */
export async function inboxWords(db: Db, agentId: string): Promise<string> {
  const { first: events } = await pendingPreview(db, agentId);
  return events.map((event) => eventWords(event).slice(0, READ_OF_EACH)).join('\n');
}
