import type { ModelMessage } from 'ai';

import type { Trx } from '../db/open-database.ts';
import { eventWords } from '../inbox/event-words.ts';
import type { InboxEvent } from '../inbox/inbox-event.ts';
import { findMemories } from '../memory/find-memories.ts';
import type { FirstMemories } from '../memory/first-memories.ts';
import { knownMemories, MEMORY_COLUMNS, toMemory, type Memory } from '../memory/memory.ts';
import type { Found } from '../recall/found.ts';
import { fuseRanks } from '../recall/fuse-ranks.ts';
import { fitLines } from './fit-lines.ts';
import { fittingMemories, memoryLine } from './memory-lines.ts';

const CHARACTERS = 4_000;
// More than fit at 40 characters each.
const MOST_FOUND = 100;
// The start of a message says what it is about; one long message must not drown the others.
const READ_OF_EACH = 1_000;

const HEADING = '[MEMORIES THAT MAY MATTER NOW] Yours, not shown above; chosen because of the inbox below.';

/**
 * Memories beyond those in the instructions that share words or meaning with what woke the agent, as a message never
 * stored. `near`: those whose meaning is near, found before the transaction.
 */
export async function relevantMemories(
  trx: Trx,
  input: { agent: { id: string; orgId: string }; events: InboxEvent[]; memories: FirstMemories; near: Found[] },
): Promise<ModelMessage | undefined> {
  const shown = fittingMemories(input.memories);
  if (shown.length === input.memories.total) return undefined;
  const owner = { orgId: input.agent.orgId, agentId: input.agent.id };
  const except = shown.map((memory) => memory.id);
  const text = input.events.map(wordsOf).join('\n');
  const byWords = await findMemories(trx, owner, { text, limit: MOST_FOUND, except });
  const ranked = rank(byWords, input.near, new Set(except));
  const missing = ranked.filter((id) => !byWords.some((memory) => memory.id === id));
  const known = new Map(
    [...byWords, ...(await memoriesById(trx, owner, missing))].map((memory) => [memory.id, memory]),
  );
  const found = ranked.flatMap((id) => known.get(id) ?? []); // one may be gone since the search by meaning
  const fitting = fitLines(found, memoryLine, CHARACTERS - HEADING.length);
  if (fitting.length === 0) return undefined;
  return { role: 'user', content: [HEADING, ...fitting.map(memoryLine)].join('\n') };
}

function rank(byWords: Memory[], near: Found[], shown: Set<string>): string[] {
  const words = byWords.map(({ id }): Found => ({ place: { kind: 'memory', id }, strength: 1 }));
  return fuseRanks([words, near]).flatMap(({ place }) =>
    place.kind === 'memory' && !shown.has(place.id) ? [place.id] : [],
  );
}

async function memoriesById(trx: Trx, owner: { orgId: string; agentId: string }, ids: string[]): Promise<Memory[]> {
  if (ids.length === 0) return [];
  const rows = await knownMemories(trx, owner).select(MEMORY_COLUMNS).where('id', 'in', ids).execute();
  return rows.map(toMemory);
}

function wordsOf(event: InboxEvent): string {
  const said = eventWords(event).slice(0, READ_OF_EACH).toWellFormed();
  return [event.sender?.name, event.space?.name, said].join(' ');
}
