import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';
import { cutPage, type Page } from '../db/page.ts';
import { toGoal, type Goal, type GoalOwner } from './goal.ts';

/** By id, which is a name. */
export async function listGoals(
  db: Db,
  owner: GoalOwner,
  page: { limit: number; after?: string | undefined },
): Promise<Page<Goal>> {
  const { after } = page;
  const rows = await db
    .selectFrom('goals')
    .selectAll()
    .where('org_id', '=', owner.orgId)
    .where('agent_id', '=', owner.agentId)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`id collate "C" > ${after!}`))
    .orderBy(sql`id collate "C"`)
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toGoal);
}
