import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleUpdateOptions,
} from '@temporalio/client';

import { PLAN_WORKFLOW, planScheduleId, searchAttributes, type PlanInput } from '../../workflows/contract.ts';
import { toTemporalCrons } from './cron.ts';

export type Scheduled = {
  id: string;
  org_id: string;
  agent_id: string;
  agent_name: string;
  name: string;
  cron: string | null;
  time_zone: string | null;
  scheduled_at: Date | null;
};

type Clock = { client: Client; taskQueue: string };

const DEADLINE_MS = 5_000;
const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;

/** Makes the Schedule of a plan, or changes it to what the plan says now. */
export async function putSchedule(clock: Clock, plan: Scheduled): Promise<void> {
  const options = optionsOf(clock.taskQueue, plan);
  await withDeadline(clock, async ({ schedule }) => {
    try {
      await schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const { scheduleId, memo: _memo, ...changed } = options;
      await schedule.getHandle(scheduleId).update(() => changed as ScheduleUpdateOptions);
    }
  });
}

export async function removeSchedule(clock: Clock, planId: string): Promise<void> {
  await withDeadline(clock, ({ schedule }) => schedule.getHandle(planScheduleId(planId)).delete().catch(unlessGone));
}

/** Whether the clock still runs for this plan: somebody may have paused or deleted its Schedule in the Web UI. */
export async function lookAtSchedule(clock: Clock, planId: string): Promise<'running' | 'paused' | 'gone'> {
  return withDeadline(clock, async ({ schedule }) => {
    const found = await schedule.getHandle(planScheduleId(planId)).describe().catch(unlessGone);
    if (found === undefined) return 'gone';
    return found.state.paused ? 'paused' : 'running';
  });
}

function optionsOf(taskQueue: string, plan: Scheduled): ScheduleOptions {
  // Ids alone: a firing stays in Temporal for as long as it keeps histories, also when its agent is erased. Names stand
  // in the note of the Schedule, which goes with the plan.
  const args: [PlanInput] = [{ planId: plan.id }];
  const attributes = [
    { key: searchAttributes.org, value: plan.org_id },
    { key: searchAttributes.agent, value: plan.agent_id },
  ];
  return {
    scheduleId: planScheduleId(plan.id),
    spec:
      plan.cron === null
        ? { calendars: [momentOf(plan.scheduled_at!)], timezone: 'UTC' }
        : { cronExpressions: toTemporalCrons(plan.cron), timezone: plan.time_zone ?? 'UTC' },
    action: {
      type: 'startWorkflow',
      workflowType: PLAN_WORKFLOW,
      workflowId: planScheduleId(plan.id), // Temporal adds the nominal time
      taskQueue,
      args,
      typedSearchAttributes: attributes,
    },
    policies: {
      // A firing that hangs because nobody works does the same for every run that comes meanwhile.
      overlap: ScheduleOverlapPolicy.SKIP,
      // How late a run may be; that several missed ones become one is for the rows to say.
      catchupWindow: plan.cron === null ? '3650 days' : '30 days',
    },
    state: {
      note: `${plan.agent_name} · ${plan.name}`.slice(0, 200),
      ...(plan.cron === null && { remainingActions: 1 }),
    },
    typedSearchAttributes: attributes,
  };
}

function momentOf(at: Date) {
  return {
    year: at.getUTCFullYear(),
    month: MONTHS[at.getUTCMonth()]!,
    dayOfMonth: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

function withDeadline<Result>(clock: Clock, work: (client: Client) => Promise<Result>): Promise<Result> {
  return clock.client.connection.withDeadline(Date.now() + DEADLINE_MS, () => work(clock.client));
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
  return undefined;
}
