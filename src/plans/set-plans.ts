import { lockAgent } from '../agents/lock-agent.ts';
import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { livingPlans, PLAN_COLUMNS, toPlan, type Plan, type PlanOwner } from './plan.ts';
import { namesTiming, readTiming, type GivenTiming, type Timing } from './timing.ts';

// Each is a Schedule on the Temporal server and a line in the instructions.
const MOST_ACTIVE = 100;
// Those that ran are kept for a look back, and go when others take their place.
const MOST_DONE = 100;

type Limits = { floorSeconds: number; now: Date };
type KnownCron = { cron: string | null; time_zone: string | null };

export type PlanEntry = GivenTiming & { id: string; instruction?: string | undefined };

/** Each entry takes the place of an earlier plan with its id; what is left out of a known one stays. */
export async function setPlans(
  trx: Trx,
  owner: PlanOwner,
  entries: PlanEntry[],
  { floorSeconds }: { floorSeconds: number },
): Promise<Plan[]> {
  await lockAgent(trx, owner.orgId, owner.agentId);
  const now = new Date();
  const set: Plan[] = [];
  for (const entry of entries) set.push(await setPlan(trx, owner, entry, { floorSeconds, now }));
  const { count } = await livingPlans(trx, owner)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  if (count > MOST_ACTIVE) {
    throw new AppError('conflict', `there is room for ${MOST_ACTIVE} plans; delete those no longer needed first`);
  }
  await dropOldest(trx, owner);
  return set;
}

async function setPlan(trx: Trx, owner: PlanOwner, entry: PlanEntry, limits: Limits): Promise<Plan> {
  const { id: name, instruction } = entry;
  const found = await livingPlans(trx, owner)
    .select(['id', 'version', ...PLAN_COLUMNS])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  const given = withKnown(entry, found);
  const timing = namesTiming(given) ? readTiming(given, limits) : undefined;
  if (found === undefined) return addPlan(trx, owner, { name, instruction, timing });

  // What is told again unchanged keeps its next run.
  const known = found.status === 'active' && timing !== undefined && isSame(found, timing);
  const retimed = timing === undefined || known ? undefined : timing;
  if (retimed === undefined && (instruction === undefined || instruction === found.instruction)) return toPlan(found);
  const row = await trx
    .updateTable('plans')
    .set({
      ...(instruction !== undefined && { instruction }),
      ...(retimed !== undefined && { ...columnsOf(retimed), status: 'active' as const, version: found.version + 1 }),
      updated_at: new Date(),
    })
    .where('id', '=', found.id)
    .returning(PLAN_COLUMNS)
    .executeTakeFirstOrThrow();
  return toPlan(row);
}

/** Of a cron, what is left out stays: its zone where only the expression is given, and the other way round. */
function withKnown(
  { id: _id, instruction: _instruction, ...given }: PlanEntry,
  found: KnownCron | undefined,
): GivenTiming {
  if (found === undefined || found.cron === null || given.runAfter !== undefined || given.scheduledAt !== undefined)
    return given;
  const { cron, time_zone: timeZone } = found;
  if (given.cron !== undefined) return { ...given, timeZone: given.timeZone ?? timeZone ?? undefined };
  return given.timeZone === undefined ? given : { ...given, cron };
}

async function addPlan(
  trx: Trx,
  owner: PlanOwner,
  plan: { name: string; instruction: string | undefined; timing: Timing | undefined },
): Promise<Plan> {
  const { name, instruction, timing } = plan;
  if (instruction === undefined) throw lacking(name, 'instruction', 'an instruction');
  if (timing === undefined) throw lacking(name, 'cron', 'one of runAfter, scheduledAt and cron');
  const row = await trx
    .insertInto('plans')
    .values({
      id: newId(),
      org_id: owner.orgId,
      agent_id: owner.agentId,
      name,
      instruction,
      ...columnsOf(timing),
    })
    .returning(PLAN_COLUMNS)
    .executeTakeFirstOrThrow();
  return toPlan(row);
}

function columnsOf({ cron, timeZone, scheduledAt, nextRunAt }: Timing) {
  return { cron, time_zone: timeZone, scheduled_at: scheduledAt, next_run_at: nextRunAt, retimed_at: new Date() };
}

function isSame(row: { cron: string | null; time_zone: string | null; scheduled_at: Date | null }, timing: Timing) {
  return (
    row.cron === timing.cron &&
    row.time_zone === timing.timeZone &&
    row.scheduled_at?.getTime() === timing.scheduledAt?.getTime()
  );
}

function lacking(name: string, path: string, what: string): AppError {
  return new AppError('invalid-request', `plan "${name}" is new; give it ${what}`, {
    fields: [{ path, message: 'is needed for a new plan' }],
  });
}

async function dropOldest(trx: Trx, owner: PlanOwner): Promise<void> {
  await trx
    .updateTable('plans')
    .set({ deleted_at: new Date() })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('plans')
        .select('id')
        .where('agent_id', '=', owner.agentId)
        .where('status', '=', 'done')
        .where('deleted_at', 'is', null)
        .orderBy('last_run_at', 'desc')
        .orderBy('id', 'desc')
        .offset(MOST_DONE),
    )
    .execute();
}
