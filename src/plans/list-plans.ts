import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';
import { cutPage, type Page } from '../db/page.ts';
import type { PlanStatus } from './plan-table.ts';
import { livingPlans, PLAN_COLUMNS, toPlan, type Plan, type PlanOwner } from './plan.ts';

/** By id, which is a name. */
export async function listPlans(
  db: Db,
  owner: PlanOwner,
  page: { limit: number; after?: string | undefined; status?: PlanStatus | undefined },
): Promise<Page<Plan>> {
  const { after, status } = page;
  const rows = await livingPlans(db, owner)
    .select(PLAN_COLUMNS)
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(after !== undefined, (query) => query.where(sql<boolean>`name collate "C" > ${after!}::text collate "C"`))
    .orderBy(sql`name collate "C"`)
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, toPlan);
}
