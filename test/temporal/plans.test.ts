import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { ScheduleNotFoundError, type ScheduleDescription } from '@temporalio/client';
import { afterEach, expect, test } from 'vitest';

import { eraseAgent } from '../../src/agents/erase-agent.ts';
import { nextRun } from '../../src/plans/cron.ts';
import { deletePlans } from '../../src/plans/delete-plans.ts';
import { firePlan } from '../../src/plans/fire-plan.ts';
import { listPlans } from '../../src/plans/list-plans.ts';
import type { Plan } from '../../src/plans/plan.ts';
import { setPlans, type PlanEntry } from '../../src/plans/set-plans.ts';
import { planScheduleId } from '../../workflows/contract.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { eventually, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const done = reply({ text: 'Done.' });

async function scene(replies: Parameters<typeof scriptedModel>, options: { worker?: boolean } = {}) {
  const model = scriptedModel(...replies);
  world = await openWorld({ models: scriptedModels({ 'test:default': model }), ...options });
  const { db, planner } = world.runtime;
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  const lobby = await world.space('Lobby', [ana, ada]);
  const owner = { orgId: world.orgId, agentId: ada.id };
  const rows = () => db.selectFrom('plans').selectAll().where('agent_id', '=', ada.id).orderBy('name').execute();
  return {
    ana,
    ada,
    lobby,
    owner,
    rows,
    prompts: () => model.doStreamCalls.map((call) => call.prompt),
    async set(...entries: PlanEntry[]): Promise<Plan[]> {
      const set = await db.transaction().execute((trx) => setPlans(trx, owner, entries, { floorSeconds: 60 }));
      planner.wake();
      return set;
    },
    synced: () =>
      eventually('every plan has its Schedule', 10_000, async () =>
        (await rows()).every((row) => row.synced_version === row.version && row.deleted_at === null),
      ),
    /** As if its time had come a while ago and no clock had struck. */
    overdue: (minutes: number) =>
      db
        .updateTable('plans')
        .set({ next_run_at: new Date(Math.floor(Date.now() / 60_000) * 60_000 - minutes * 60_000) })
        .where('agent_id', '=', ada.id)
        .execute(),
    events: () =>
      db
        .selectFrom('inbox_events')
        .select(['id', 'status', 'payload'])
        .where('agent_id', '=', ada.id)
        .where('type', '=', 'plan')
        .orderBy('position')
        .execute(),
  };
}

function scheduleOf(planId: string): Promise<ScheduleDescription | undefined> {
  const handle = world.runtime.client.schedule.getHandle(planScheduleId(planId));
  return handle.describe().catch((error: unknown) => {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  });
}

/** Temporal adds the nominal time to the id that a Schedule gives. */
function firingOf({ id, scheduled_at: at }: { id: string; scheduled_at: Date | null }) {
  const time = at!.toISOString().replace('.000Z', 'Z');
  return world.runtime.client.workflow.getHandle(`${planScheduleId(id)}-${time}`);
}

function textOf(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

test('a plan that the agent set wakes it once, at its time, with its own instruction', async () => {
  const { ana, ada, lobby, owner, rows, events, prompts } = await scene([
    reply({ call: 'set_plans', input: { plans: [{ id: 'call-ana', instruction: 'Call Ana back', runAfter: '2s' }] } }),
    reply({ call: 'get_plans', input: {} }),
    done,
    reply({ text: 'I called Ana back.' }),
  ]);
  await world.say(ana, lobby, 'Call me back in two seconds');
  await world.settled(ada);
  const [planned] = await rows();
  const due = planned!.scheduled_at!;
  await eventually('the plan has woken the agent', 15_000, async () => prompts().length === 4);
  await world.settled(ada);

  const [event, ...others] = await events();
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    status: 'done',
    payload: { plan: 'call-ana', instruction: 'Call Ana back', dueAt: due.toISOString() },
  });
  expect(Date.now()).toBeGreaterThanOrEqual(due.getTime());
  const inbox = textOf(prompts().at(-1)!.at(-1));
  expect(inbox).toContain('INBOX (1 event)');
  expect(inbox).toContain(`\nplan call-ana: "Call Ana back" (due ${due.toISOString()}, `);
  // It is done: in the list of an owner who looks back, and no longer in the instructions.
  expect(textOf(prompts()[0]![0])).not.toContain('# PLANS');
  expect(textOf(prompts().at(-1)![0])).not.toContain('# PLANS');
  const { items } = await listPlans(world.runtime.db, owner, { limit: 10 });
  expect(items).toMatchObject([
    { id: 'call-ana', status: 'done', recurring: false, nextRunAt: null, lastRunAt: due.toISOString(), runs: 1 },
  ]);
  // What Temporal shows: the firing, and no Schedule that has nothing left to do.
  expect(await firingOf(planned!).result()).toEqual({ fired: true });
  await eventually('its Schedule is gone', 10_000, async () => (await scheduleOf(planned!.id)) === undefined);
  const [set, listed] = await world.runtime.db
    .selectFrom('tool_calls')
    .select('output')
    .orderBy('started_at')
    .execute();
  expect(set!.output).toEqual({ success: true, plans: [{ id: 'call-ana', nextRunAt: due.toISOString() }] });
  expect(listed!.output).toMatchObject({ plans: [{ id: 'call-ana', status: 'active', nextRunAt: due.toISOString() }] });
});

test('plans stand in the instructions, change and go with the tools, and a bad one is explained to the model', async () => {
  const daily = { id: 'report', instruction: 'Write the report', cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' };
  const { ana, ada, lobby, prompts, rows } = await scene([
    reply({ call: 'set_plans', input: { plans: [daily] } }),
    reply({ call: 'set_plans', input: { plans: [{ id: 'x', instruction: 'y', cron: '0 0 30 2 *' }] } }),
    done,
    reply({ call: 'set_plans', input: { plans: [{ id: 'report', instruction: 'Write two reports' }] } }),
    done,
    reply({ call: 'delete_plans', input: { ids: ['report', 'nothing'] } }),
    done,
    done,
  ]);
  for (const text of ['one', 'two', 'three', 'four']) {
    await world.say(ana, lobby, text);
    await world.settled(ada);
  }
  const system = prompts().map((prompt) => textOf(prompt[0]));
  const next = nextRun('0 9 * * MON-FRI', 'Europe/Berlin', new Date())!.toISOString();
  expect(system[3]).toContain(
    '# PLANS\n- Write the report (recurring, cron 0 9 * * MON-FRI, Europe/Berlin) [report]\n',
  );
  // It set the plan itself and remembers what it was told; nothing is repeated.
  expect(JSON.stringify(prompts().at(-1)!.slice(1))).toContain(next);
  expect(JSON.stringify(prompts().at(-1)!.slice(1))).not.toContain('NEXT RUNS');
  expect(system[5]).toContain('Write two reports');
  expect(system.at(-1)).not.toContain('# PLANS');
  const calls = await world.runtime.db.selectFrom('tool_calls').select('output').orderBy('started_at').execute();
  expect(calls.map((call) => call.output)).toEqual([
    { success: true, plans: [{ id: 'report', nextRunAt: next }] },
    { error: 'cron never comes true, like the 30th of February' },
    { success: true, plans: [{ id: 'report', nextRunAt: next }] },
    { success: false, deleted: ['report'], unknown: ['nothing'] },
  ]);
  await eventually('the deleted plan is gone', 10_000, async () => (await rows()).length === 0);
});

test('a recurring plan tells its next run when that has changed, and costs the prompt cache nothing (CN-11, C5)', async () => {
  const { ana, ada, lobby, set, synced, overdue, events, prompts } = await scene([done, done, done, done]);
  const [plan] = await set({ id: 'daily', instruction: 'Look around', cron: '0 9 * * *' });
  await synced();
  for (const text of ['one', 'two']) {
    await world.say(ana, lobby, text);
    await world.settled(ada);
  }
  await overdue(1);
  await eventually('the plan has fired', 15_000, async () => (await events()).length === 1);
  await world.settled(ada);
  await world.say(ana, lobby, 'three');
  await world.settled(ada);

  const inboxes = prompts().map((prompt) => textOf(prompt.at(-1)));
  expect(inboxes[0]!.split('\n').at(-1)).toBe(`NEXT RUNS of your plans: daily at ${plan!.nextRunAt}`);
  expect(inboxes[2]).toMatch(/\nplan daily: "Look around" \(due \S+, next run \S+, /);
  expect([inboxes[1], inboxes[2], inboxes[3]].join('\n')).not.toContain('NEXT RUNS');
  // Each request begins with the whole of the one before.
  for (const [index, prompt] of prompts().entries()) {
    const before = prompts()[index - 1] ?? [];
    expect(prompt.slice(0, before.length)).toEqual(before);
  }
});

test('the Schedules are what the plans say: made, changed and deleted with them', async () => {
  const { set, synced, rows, owner } = await scene([], { worker: false });
  await set(
    { id: 'daily', instruction: 'd', cron: '0 9 * * *', timeZone: 'Europe/Berlin' },
    { id: 'once', instruction: 'o', scheduledAt: '2030-01-02T03:04:05Z' },
  );
  await synced();
  const [daily, once] = await rows();
  const schedule = (await scheduleOf(daily!.id))!;
  expect(schedule.policies).toMatchObject({ overlap: 'SKIP' });
  expect(schedule.state).toMatchObject({ note: 'Ada · daily' });
  expect(schedule.typedSearchAttributes.getAll().map(({ value }) => value)).toContain(owner.agentId);
  expect(schedule.action).toMatchObject({ workflowType: 'plan', args: [{ planId: daily!.id }] });
  expect((await scheduleOf(once!.id))!.info.nextActionTimes).toEqual([new Date('2030-01-02T03:04:05Z')]);

  await set({ id: 'daily', cron: '30 18 1 * *' });
  await synced();
  const [changed] = (await scheduleOf(daily!.id))!.info.nextActionTimes;
  expect(changed).toEqual((await rows())[0]!.next_run_at);
  expect(changed!.toISOString()).toMatch(/-01T1[67]:30:00/); // still in Berlin
  await set({ id: 'daily', timeZone: 'UTC' });
  await synced();
  expect((await scheduleOf(daily!.id))!.info.nextActionTimes[0]!.toISOString()).toMatch(/-01T18:30:00/);

  await world.runtime.db.transaction().execute((trx) => deletePlans(trx, owner, ['daily', 'once']));
  world.runtime.planner.wake();
  await eventually('the rows are gone', 10_000, async () => (await rows()).length === 0);
  expect([await scheduleOf(daily!.id), await scheduleOf(once!.id)]).toEqual([undefined, undefined]);
});

test('Temporal reads every cron as we do, but where clocks change', async () => {
  const { set, synced, rows } = await scene([], { worker: false });
  // Far from a change of clocks in any of these zones, whenever the test runs: UTC has none, India and Japan neither.
  const crons: [string, string][] = [
    ['*/15 * * * *', 'Asia/Kolkata'],
    ['0 9 * * MON-FRI', 'Asia/Tokyo'],
    ['0 9 * * 7', 'UTC'],
    ['0 9 * * 0', 'UTC'],
    ['0 0 13 * 5', 'UTC'],
    ['0 0 1-7 * MON', 'Asia/Tokyo'],
    ['0 0 1 */3 *', 'UTC'],
    ['0 9 * JAN,JUL SAT,SUN', 'UTC'],
    ['0 0 29 2 *', 'UTC'],
    ['5-59/20 3 * * *', 'UTC'],
    ['0,30 8-18/2 * * 1-5', 'Asia/Kolkata'],
    ['59 23 31 12 *', 'UTC'],
    ['0 12 28-31 * *', 'UTC'],
    ['1-3,7,50-59/3 4 * * *', 'UTC'],
    ['0 0 * * */2', 'UTC'],
    ['0 0 */10 * *', 'UTC'],
    ['0 0 31 * *', 'UTC'],
  ];
  await set(...crons.map(([cron, timeZone], index) => ({ id: `p${index}`, instruction: 'i', cron, timeZone })));
  await synced();
  for (const row of await rows()) {
    const theirs = (await scheduleOf(row.id))!.info.nextActionTimes.map((time) => time.toISOString());
    const ours: string[] = [];
    for (
      let after = new Date(row.next_run_at!.getTime() - 1);
      ours.length < theirs.length;
      after = new Date(ours.at(-1)!)
    )
      ours.push(nextRun(row.cron!, row.time_zone!, after)!.toISOString());
    expect([row.cron, ours]).toEqual([row.cron, theirs]);
    expect(ours.length).toBeGreaterThan(5);
  }
});

test('a run asked for many times at once is delivered once, and several missed ones are one', async () => {
  const { set, overdue, events, rows } = await scene([], { worker: false });
  await set({ id: 'hourly', instruction: 'i', cron: '* * * * *' });
  await overdue(5);
  const [plan] = await rows();
  const { db } = world.runtime;
  const fired = await Promise.all(
    Array.from({ length: 10 }, () => db.transaction().execute((trx) => firePlan(trx, plan!.id))),
  );
  expect(fired.filter((agentId) => agentId !== undefined)).toHaveLength(1);
  expect(await events()).toMatchObject([{ payload: { dueAt: plan!.next_run_at!.toISOString(), missed: 5 } }]);
  const [after] = await rows();
  expect(after).toMatchObject({ status: 'active', runs: 1, last_run_at: plan!.next_run_at });
  expect(after!.next_run_at!.getTime()).toBeGreaterThan(Date.now());
  // What Temporal catches up on afterwards is not awaited any more.
  const late = new Date(plan!.next_run_at!.getTime() + 60_000);
  expect(await db.transaction().execute((trx) => firePlan(trx, plan!.id, { struck: late }))).toBeUndefined();
});

test('a clock ahead of ours does not lose a run, nor fire it twice', async () => {
  const { set, events, rows } = await scene([], { worker: false });
  await set({ id: 'soon', instruction: 'i', cron: '0 0 1 1 *' });
  const [plan] = await rows();
  const { db } = world.runtime;
  const struck = plan!.next_run_at!;
  const now = new Date(struck.getTime() - 800);
  for (let time = 0; time < 2; time += 1)
    await db.transaction().execute((trx) => firePlan(trx, plan!.id, { struck, now }));
  expect(await events()).toHaveLength(1);
  expect((await rows())[0]!.next_run_at!.getUTCFullYear()).toBe(struck.getUTCFullYear() + 1);
});

test('a plan whose Schedule somebody deleted runs all the same, and gets its Schedule back', async () => {
  const { ada, set, synced, overdue, rows, events } = await scene([done]);
  await set({ id: 'daily', instruction: 'i', cron: '0 9 * * *' });
  await synced();
  const [plan] = await rows();
  await world.runtime.client.schedule.getHandle(planScheduleId(plan!.id)).delete();
  await overdue(1);
  await eventually('the sweep has fired it', 15_000, async () => (await events()).length === 1);
  await world.settled(ada);
  await synced();
  expect(await scheduleOf(plan!.id)).toBeDefined();
  expect(await events()).toMatchObject([{ status: 'done' }]);
});

test('a plan of which Temporal takes no Schedule is fired by its row', async () => {
  const { ada, set, synced, overdue, rows, events } = await scene([done]);
  await set({ id: 'daily', instruction: 'i', cron: '0 9 * * *' });
  await synced();
  // A spelling that Node knows and Temporal does not.
  await world.runtime.db
    .updateTable('plans')
    .set({ time_zone: 'europe/berlin', version: 7 })
    .where('agent_id', '=', ada.id)
    .execute();
  world.runtime.planner.wake();
  await synced();
  expect((await rows())[0]).toMatchObject({ synced_version: 7 });
  await overdue(1);
  await eventually('the sweep has fired it', 15_000, async () => (await events()).length === 1);
  await world.settled(ada);
});

test('a plan whose Schedule somebody paused does not run, and what it missed is not caught up on', async () => {
  const { set, synced, overdue, rows, events } = await scene([]);
  await set(
    { id: 'paused', instruction: 'i', cron: '0 9 * * *' },
    { id: 'other', instruction: 'o', cron: '0 9 * * *' },
  );
  await synced();
  const [, paused] = await rows();
  await world.runtime.client.schedule.getHandle(planScheduleId(paused!.id)).pause('holidays');
  await overdue(1);
  await eventually('the other one was fired', 15_000, async () => (await events()).length > 0);
  expect((await events()).map(({ payload }) => payload)).toMatchObject([{ plan: 'other' }]);
  // It awaits its next run: what it missed on purpose does not come when it is unpaused.
  await eventually('it was passed over', 10_000, async () => (await rows())[1]!.next_run_at! > new Date());
  expect((await rows())[1]).toMatchObject({ runs: 0, status: 'active' });
});

test('an erased agent has no plans and no Schedules left, and their firings hold none of its words', async () => {
  const { ana, ada, lobby, rows, prompts } = await scene([
    reply({
      call: 'set_plans',
      input: {
        plans: [
          { id: 'daily-xq7canary', instruction: 'xq7canary', cron: '0 9 * * *' },
          { id: 'soon-xq7canary', instruction: 'xq7canary', runAfter: '1s' },
        ],
      },
    }),
    done,
    done,
  ]);
  await world.say(ana, lobby, 'Plan something');
  await eventually('the second plan has fired', 15_000, async () => prompts().length === 3);
  await world.settled(ada);
  const plans = await rows();
  const { db, planner } = world.runtime;
  const { events } = await firingOf(plans[1]!).fetchHistory();
  expect(events!.length).toBeGreaterThan(4);
  expect(inClear(events!)).toContain(plans[1]!.id);
  expect(inClear(events!)).not.toContain('canary');

  await db.transaction().execute((trx) => eraseAgent(trx, world.orgId, ada.id));
  expect((await rows()).map(({ name, instruction }) => name + instruction)).toEqual(['', '']);
  planner.wake();
  await eventually('the rows are gone', 10_000, async () => (await rows()).length === 0);
  expect(await Promise.all(plans.map(({ id }) => scheduleOf(id)))).toEqual([undefined, undefined]);
});

/** With its payloads, which are bytes in base64, as text. */
function inClear(history: object): string {
  return JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
}
