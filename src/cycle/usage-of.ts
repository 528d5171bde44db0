import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';
import type { Price } from '../models/model-facts.ts';

export type UsageSums = {
  /** Think cycles whose first step falls here; skipped ones count as skips alone. */
  cycles: number;
  skips: number;
  /** Model generations, that of a skip included. */
  steps: number;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  costUsd: number;
  /** False when some of it was used while the price of its model was not known. */
  priced: boolean;
};

export type UsageQuery = {
  orgId: string;
  agentId: string;
  by: 'day' | 'model';
  /** First and last day, in UTC, both included. */
  from?: string | undefined;
  to?: string | undefined;
};

type Row = Omit<UsageSums, 'priced'> & { day: string; model: string; unpriced: number };

/** What an agent has used, summed by day (newest first) or by model (most money first), runs under way included. */
export async function usageOf(
  db: Db,
  query: UsageQuery,
  priceOf: (model: string) => Price | undefined,
): Promise<{ items: (UsageSums & { name: string })[]; total: UsageSums }> {
  const rows = (await sumByDayAndModel(db, query)).map((row) => ({
    ...row,
    // A step that cost nothing is only right when its model is free.
    priced: row.unpriced === 0 || isFree(priceOf(row.model)),
  }));
  const items = [...Map.groupBy(rows, (row) => row[query.by])].map(([name, group]) => ({ name, ...add(group) }));
  return {
    items: items.toSorted(
      query.by === 'day' ? (a, b) => b.name.localeCompare(a.name) : (a, b) => b.costUsd - a.costUsd,
    ),
    total: add(rows),
  };
}

async function sumByDayAndModel(db: Db, query: UsageQuery): Promise<Row[]> {
  const { orgId, agentId, from = '-infinity', to = 'infinity' } = query;
  const { rows } = await sql<Row>`
    with used as (
      select run_steps.generated_at as at, runs.model, run_steps.step = 0 as cycle, false as skip,
        (usage ->> 'inputTokens')::bigint as input, (usage ->> 'outputTokens')::bigint as output,
        (usage ->> 'cacheReadTokens')::bigint as cache_read, (usage ->> 'cacheWriteTokens')::bigint as cache_write,
        (usage ->> 'reasoningTokens')::bigint as reasoning, run_steps.cost_usd
      from runs join run_steps on run_steps.run_id = runs.id
      where runs.agent_id = ${agentId}::uuid and runs.org_id = ${orgId}::uuid
      union all
      select created_at, model, false, true, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd
      from skips where agent_id = ${agentId}::uuid and org_id = ${orgId}::uuid)
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, model,
      count(*) filter (where cycle) as cycles, count(*) filter (where skip) as skips, count(*) as steps,
      sum(input)::bigint as "inputTokens", sum(output)::bigint as "outputTokens",
      sum(cache_read)::bigint as "cacheReadTokens", sum(cache_write)::bigint as "cacheWriteTokens",
      sum(reasoning)::bigint as "reasoningTokens", sum(cost_usd) as "costUsd",
      count(*) filter (where cost_usd = 0 and input + output > 0) as unpriced
    from used
    where (at at time zone 'UTC')::date between ${from}::date and ${to}::date
    group by 1, 2`.execute(db);
  return rows;
}

function isFree(price: Price | undefined): boolean {
  return price !== undefined && Object.values(price).every((dollars) => dollars === 0);
}

function add(rows: (UsageSums & object)[]): UsageSums {
  const sum = (field: Exclude<keyof UsageSums, 'priced'>): number => rows.reduce((all, row) => all + row[field], 0);
  return {
    cycles: sum('cycles'),
    skips: sum('skips'),
    steps: sum('steps'),
    inputTokens: sum('inputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
    costUsd: sum('costUsd'),
    priced: rows.every((row) => row.priced),
  };
}
