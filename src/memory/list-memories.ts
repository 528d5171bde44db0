import type { Db } from '../db/open-database.ts';
import { cutPage, type Page, type PageRequest } from '../db/page.ts';
import { knownMemories, MEMORY_COLUMNS, ownMemories, toMemory, type Memory, type MemoryOwner } from './memory.ts';

/** For an agent: its own and, marked by their scope, the organisation's. In the order in which they were first set. */
export async function listMemories(db: Db, owner: MemoryOwner, page: PageRequest): Promise<Page<Memory>> {
  const { orgId, agentId } = owner;
  const rows = await (agentId === null ? ownMemories(db, owner) : knownMemories(db, { orgId, agentId }))
    .select(MEMORY_COLUMNS)
    .$if(page.afterId !== undefined, (query) => query.where('id', '>', page.afterId!))
    .orderBy('id')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toMemory);
}
