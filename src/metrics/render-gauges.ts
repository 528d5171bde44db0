import { sql } from 'kysely';

import type { Db } from '../db/open-database.ts';
import { renderFamily, type Sample } from './registry.ts';

type Counted = {
  pending: number;
  oldest_pending: number;
  oldest_undispatched: number;
  dead: number;
  drafts: number;
};

/** How things stand in one organisation, read from Postgres now. Each figure comes from a partial or block range index. */
export async function renderGauges(db: Db, orgId: string): Promise<string> {
  const { rows } = await sql<Counted>`
    select
      (select count(*) from inbox_events where status = 'pending' and org_id = ${orgId}::uuid) as pending,
      (select coalesce(extract(epoch from now() - min(created_at)), 0)::double precision from inbox_events
        where status = 'pending' and org_id = ${orgId}::uuid) as oldest_pending,
      (select coalesce(extract(epoch from now() - min(created_at)), 0)::double precision from inbox_events
        where dispatched_at is null and status = 'pending' and org_id = ${orgId}::uuid) as oldest_undispatched,
      (select count(*) from inbox_events where status = 'dead' and org_id = ${orgId}::uuid) as dead,
      (select count(*) from drafts where ended_at is null and org_id = ${orgId}::uuid) as drafts`.execute(db);
  const counted = rows[0]!;
  const gauge = (name: string, help: string, samples: Sample[]): string =>
    renderFamily({ name, help, type: 'gauge' }, samples);
  return [
    gauge('wakeful_inbox_pending', 'Inbox events that wait for a think cycle.', [{ value: counted.pending }]),
    gauge('wakeful_inbox_oldest_pending_seconds', 'Age of the oldest inbox event that waits.', [
      { value: counted.oldest_pending },
    ]),
    gauge('wakeful_inbox_oldest_undispatched_seconds', 'Age of the oldest inbox event that no signal went out for.', [
      { value: counted.oldest_undispatched },
    ]),
    gauge('wakeful_inbox_dead', 'Inbox events in the dead-letter list.', [{ value: counted.dead }]),
    gauge('wakeful_drafts_open', 'Messages that a model is writing just now.', [{ value: counted.drafts }]),
    gauge(
      'wakeful_runs_last_hour',
      'Think cycles that started in the last hour, by status.',
      await runsLastHour(db, orgId),
    ),
  ].join('');
}

// Every status at every scrape: a series that comes and goes cannot be alerted on.
const STATUSES = ['running', 'committed', 'stopped', 'failed'] as const;

async function runsLastHour(db: Db, orgId: string): Promise<Sample[]> {
  const rows = await db
    .selectFrom('runs')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .where('started_at', '>', sql<Date>`now() - interval '1 hour'`)
    .where('org_id', '=', orgId)
    .groupBy('status')
    .execute();
  return STATUSES.map((status) => ({
    labels: { status },
    value: rows.find((row) => row.status === status)?.count ?? 0,
  }));
}
