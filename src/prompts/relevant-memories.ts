import type { ModelMessage } from 'ai';

import type { Trx } from '../db/open-database.ts';
import { eventWords } from '../inbox/event-words.ts';
import type { InboxEvent } from '../inbox/inbox-event.ts';
import { findMemories } from '../memory/find-memories.ts';
import type { FirstMemories } from '../memory/first-memories.ts';
import { fitLines } from './fit-lines.ts';
import { fittingMemories, memoryLine } from './memory-lines.ts';

const CHARACTERS = 4_000;
// More than fit at 40 characters each.
const MOST_FOUND = 100;
// The start of a message says what it is about; one long message must not drown the others.
const READ_OF_EACH = 1_000;

const HEADING = '[MEMORIES THAT MAY MATTER NOW] Yours, not shown above; chosen by the words of the inbox below.';

/** Memories beyond those in the instructions that share words with what woke the agent, as a message never stored. */
export async function relevantMemories(
  trx: Trx,
  input: { agent: { id: string; orgId: string }; events: InboxEvent[]; memories: FirstMemories },
): Promise<ModelMessage | undefined> {
  const shown = fittingMemories(input.memories);
  if (shown.length === input.memories.total) return undefined;
  const found = await findMemories(
    trx,
    { orgId: input.agent.orgId, agentId: input.agent.id },
    { text: input.events.map(wordsOf).join('\n'), limit: MOST_FOUND, except: shown.map((memory) => memory.id) },
  );
  const fitting = fitLines(found, memoryLine, CHARACTERS - HEADING.length);
  if (fitting.length === 0) return undefined;
  return { role: 'user', content: [HEADING, ...fitting.map(memoryLine)].join('\n') };
}

function wordsOf(event: InboxEvent): string {
  const said = eventWords(event).slice(0, READ_OF_EACH).toWellFormed();
  return [event.sender?.name, event.space?.name, said].join(' ');
}
