import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { checkRoom, checkViews, memoryOf, settles } from '../support/checker.ts';
import { createGate } from '../support/fake-model-server.ts';
import { greetingScript } from '../support/greeting-script.ts';
import { startKillableServers, type KillableServers } from '../support/killable-servers.ts';
import { isRunning, killAllRoles, startApiRole, startWorkerRole, type ApiRole } from '../support/roles.ts';
import { createRoom, post, say, watch } from '../support/room.ts';
import { firings, setPlan } from '../support/plans.ts';
import type { WakefulProcess } from '../support/run-wakeful.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { eventually } from '../support/world.ts';

const HELLO = 'Hello Ada';

let folder: string;
let servers: KillableServers;
let stage: Stage;
let api: ApiRole;
let worker: WakefulProcess;
let undisturbed: unknown;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wakeful-killed-'));
  servers = await startKillableServers(folder);
  stage = await openStage(greetingScript(), servers);
  [api, worker] = await Promise.all([startApiRole(stage.place), startWorkerRole(stage.place)]);
  const room = await createRoom(stage.db);
  await say(api.url, room, HELLO);
  await settles(stage.db, room);
  await checkRoom(stage.db, room, [HELLO]);
  undisturbed = await memoryOf(stage.db, room);
});

afterAll(async () => {
  await killAllRoles();
  await stage?.close();
  await servers?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a Temporal server killed in the middle of a reply costs neither the reply nor what is posted meanwhile', async () => {
  const gate = createGate();
  stage.model.play(greetingScript({ step: 1, gate }));
  const room = await createRoom(stage.db);
  const watcher = watch(api.url, room);
  await say(api.url, room, HELLO);
  await gate.reached();

  await servers.temporal.kill();
  await say(api.url, room, 'Are you still there?'); // a 201, or it throws
  await servers.temporal.start();
  gate.release();
  await settles(stage.db, room, 2);

  await checkRoom(stage.db, room, [HELLO, 'Are you still there?']);
  await checkViews(stage.db, api.url, room, watcher);
  const memory = (await memoryOf(stage.db, room)) as { cycle: number }[];
  expect(memory.filter((row) => row.cycle === 1)).toEqual(undisturbed);
  expect([isRunning(api), isRunning(worker)]).toEqual([true, true]);
});

test('an agent asleep when the Temporal server dies wakes for what was posted without it', async () => {
  stage.model.play(greetingScript());
  const room = await createRoom(stage.db);
  const watcher = watch(api.url, room);
  await servers.temporal.kill();
  await say(api.url, room, HELLO);
  await servers.temporal.start();
  await settles(stage.db, room);

  await checkRoom(stage.db, room, [HELLO]);
  await checkViews(stage.db, api.url, room, watcher);
  expect(await memoryOf(stage.db, room)).toEqual(undisturbed);
});

test.for([
  { when: 'before the Temporal server died', early: true },
  { when: 'while there was no Temporal server', early: false },
])('a plan set $when, due in its absence, wakes the agent once when it is back', async ({ early }) => {
  stage.model.play(() => ({ say: [{ text: 'Called.' }] }));
  const room = await createRoom(stage.db);
  const set = () => setPlan(api.url, room, 'call', { instruction: 'Call Ana', runAfter: '2s' });
  const synced = async (): Promise<boolean> => {
    const rows = await stage.db.selectFrom('plans').selectAll().where('agent_id', '=', room.agentId).execute();
    return rows.every((row) => row.synced_version === row.version);
  };
  if (early) {
    await set();
    await eventually('the plan has its Schedule', 5_000, synced);
  }
  await servers.temporal.kill();
  if (!early) await set(); // a 200, or it throws
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await servers.temporal.start();
  await settles(stage.db, room, 1, 25_000); // the planner tries again after up to ten seconds

  await eventually('the plan has its Schedule', 15_000, synced);
  expect(await firings(stage.db, room)).toMatchObject([
    { payload: { plan: 'call' }, status: 'done', run: 'committed', cycle: 1 },
  ]);
  expect([isRunning(api), isRunning(worker)]).toEqual([true, true]);
});

test.for([
  { when: 'before Postgres is back', early: true },
  { when: 'after Postgres is back', early: false },
])('Postgres restarted in the middle of a reply that ends $when costs nothing, and no process', async ({ early }) => {
  const gate = createGate();
  stage.model.play(greetingScript({ step: 2, gate }));
  const room = await createRoom(stage.db);
  const watcher = watch(api.url, room);
  await say(api.url, room, HELLO);
  await gate.reached();
  await eventually('the reader sees the draft', 5_000, async () => watcher.view().drafts.length === 1);

  await servers.postgres.kill();
  for (const text of ['Lost?', 'Lost again?']) {
    const refused = await post(api.url, room, text);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(await refused.json()).toMatchObject({ status: 503, title: expect.any(String), detail: expect.any(String) });
  }
  if (early) gate.release();
  await servers.postgres.start();
  gate.release();
  await settles(stage.db, room);

  await checkRoom(stage.db, room, [HELLO]);
  await checkViews(stage.db, api.url, room, watcher);
  expect(await memoryOf(stage.db, room)).toEqual(undisturbed);
  expect([isRunning(api), isRunning(worker)]).toEqual([true, true]);
});
