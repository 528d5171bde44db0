import { sql } from 'kysely';

import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { lockMemories } from './lock-memories.ts';
import { MEMORY_COLUMNS, ownMemories, toMemory, type Author, type Memory, type MemoryOwner } from './memory.ts';
import { noteMemoryChange } from './note-memory-change.ts';

// Beyond this an agent keeps a log, not memories; cycles are searched with recall.
const MOST_MEMORIES = 1_000;

export type MemoryEntry = { key: string; value: string; importance?: number | undefined };

/** Each entry takes the place of an earlier one with its key. Without importance the earlier one's stays. */
export async function setMemories(
  trx: Trx,
  owner: MemoryOwner,
  author: Author,
  entries: MemoryEntry[],
): Promise<Memory[]> {
  await lockMemories(trx, owner);
  const set: Memory[] = [];
  for (const entry of entries) set.push(await setMemory(trx, owner, author, entry));
  const { count } = await ownMemories(trx, owner)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count > MOST_MEMORIES) {
    throw new AppError(
      'conflict',
      `there is room for ${MOST_MEMORIES} memories; delete some that no longer matter first`,
    );
  }
  return set;
}

async function setMemory(trx: Trx, owner: MemoryOwner, author: Author, entry: MemoryEntry): Promise<Memory> {
  const { key, value, importance } = entry;
  const changed = await trx
    .insertInto('memories')
    .values({
      id: newId(),
      org_id: owner.orgId,
      agent_id: owner.agentId,
      author_id: author === 'person' ? null : author.agentId,
      key,
      value,
      ...(importance !== undefined && { importance }),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'agent_id', 'key'])
        .doUpdateSet((eb) => ({
          value: eb.ref('excluded.value'),
          author_id: eb.ref('excluded.author_id'),
          ...(importance !== undefined && { importance }),
          embedding: null,
          embedding_model: null,
          updated_at: sql<Date>`now()`,
        }))
        // What is told again unchanged keeps its place in the prompt, and the prompt its bytes.
        .where((eb) =>
          eb.or([
            eb('memories.value', '<>', eb.ref('excluded.value')),
            ...(importance === undefined ? [] : [eb('memories.importance', '<>', importance)]),
          ]),
        ),
    )
    .returning(MEMORY_COLUMNS)
    .executeTakeFirst();
  if (changed === undefined) {
    return toMemory(
      await ownMemories(trx, owner).select(MEMORY_COLUMNS).where('key', '=', key).executeTakeFirstOrThrow(),
    );
  }
  await noteMemoryChange(trx, owner, author, { key, value, importance: changed.importance });
  return toMemory(changed);
}
