import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createSpace } from '../../src/spaces/create-space.ts';
import {
  AGENT_WORKFLOW,
  agentWorkflowId,
  statusQuery,
  type AgentInput,
  type AgentState,
} from '../../workflows/contract.ts';
import { checkViews, memoryOf, settles } from '../support/checker.ts';
import type { FakePart, Script } from '../support/fake-model-server.ts';
import { stepOf } from '../support/greeting-script.ts';
import { openHttpScene, type HttpScene } from '../support/http-scene.ts';
import { killAllRoles, killRole, startWorkerRole, type Surroundings } from '../support/roles.ts';
import { say, watch, type Room } from '../support/room.ts';
import type { WakefulProcess } from '../support/run-wakeful.ts';
import { eventually } from '../support/world.ts';

// A dead worker is noticed after this. Shorter, and a busy machine takes a slow one for dead.
const HEARTBEAT_MS = 2_500;

const LOBBY = 'Ana asked in the Lobby, and here is what I say to her first of all.';
const ATTIC = 'And up here in the Attic I say it once more, for whoever is listening.';
// TC-08: five steps, four effects.
const STEPS: FakePart[] = [
  { call: 'enter_space', input: { spaceId: 'Lobby' } },
  { call: 'send_message', input: { text: LOBBY } },
  { call: 'enter_space', input: { spaceId: 'Attic' } },
  { call: 'send_message', input: { text: ATTIC } },
  { text: 'Told Ana in Lobby and in Attic.' },
];

const CHUNK = 8; // characters of tool input that the fake server sends at a time
const referenceCycle: Script = (request) => ({ say: [STEPS[stepOf(request)]!], chunkSize: CHUNK });
const PIECES = STEPS.map((part) => ('call' in part ? Math.ceil(JSON.stringify(part.input).length / CHUNK) : 0));
const piecesFrom = (step: number): number => PIECES.slice(step).reduce((sum, count) => sum + count, 0);

type Kill = {
  point: string;
  /** The worker dies when it passes the point for this time. */
  pass: number;
  /** The step that was not written down yet, and is asked of the model once more. */
  again?: number;
  /** How often the worker that takes over passes the point of the kill that follows in its chain. */
  rescue: number;
};

const chain = (point: string, count: number, kill: (index: number) => Omit<Kill, 'point' | 'pass'>): Kill[] =>
  Array.from({ length: count }, (_, index) => ({ point, pass: index + 1, ...kill(index) }));

/**
 * Every boundary of the cycle. In a chain each worker first ends what the one before it left, and then dies in a cycle of
 * its own: that takes half as many starts, at three seconds of processor time each.
 */
const CHAINS: Record<string, Kill[]> = {
  'before or after the whole of it': [
    { point: 'cycle.after_claim', pass: 1, rescue: 1 },
    { point: 'cycle.before_commit', pass: 1, rescue: 1 },
    { point: 'cycle.after_commit', pass: 1, rescue: 0 },
  ],
  'in the middle of each call that the model writes': [0, 1, 2, 3].map((step) => ({
    point: 'llm.mid_stream',
    pass: piecesFrom(0) - piecesFrom(step) + 2,
    again: step,
    rescue: piecesFrom(step),
  })),
  'before each step is written down': chain('step.before_journal', 5, (index) => ({ again: index, rescue: 5 - index })),
  'after each step is written down': chain('step.after_journal', 5, (index) => ({ rescue: 4 - index })),
  'before each effect': chain('tool.before_effect', 4, (index) => ({ rescue: 4 - index })),
  'after each effect': chain('tool.after_effect', 4, (index) => ({ rescue: 3 - index })),
  'at the end of each step': chain('step.before_end', 5, () => ({ rescue: 5 })),
};

// All thirty take a minute and a half; a developer waits for one of each kind. CI runs all of them: npm run test:kills.
const all = process.env['WAKEFUL_ALL_KILLS'] === 'true';
const chosen = Object.entries(CHAINS).map(([where, kills]): [string, Kill[]] => [
  where,
  all ? kills : kills.slice(1, 2),
]);

type House = Room & { attic: Room };

let scene: HttpScene;
let undisturbed: unknown;

beforeAll(async () => {
  scene = await openHttpScene({ worker: false });
  scene.model.play(referenceCycle);
  const place = placeOf(newQueue());
  const { house } = await wake(place.taskQueue);
  const worker = await startWorkerRole(place);
  await say(scene.url, house, 'Tell them, here and upstairs');
  await settles(scene.db, house);
  await check(house, [0, 1, 2, 3, 4], 'undisturbed');
  undisturbed = await memoryOf(scene.db, house);
  await killRole(worker);
});

afterAll(async () => {
  await killAllRoles();
  await scene.close();
});

describe.concurrent('the reference cycle ends as if nothing had happened (TC-08, law 2)', () => {
  test.for(chosen)('when its worker is killed %s', { timeout: 180_000 }, async ([, kills]) => {
    const place = placeOf(newQueue());
    const start = (kill: Kill | undefined, passed: number): Promise<WakefulProcess> =>
      startWorkerRole(place, kill === undefined ? {} : { crashPoint: `${kill.point}#${passed + kill.pass}` });
    let worker = await start(kills[0], 0);
    for (const [index, kill] of kills.entries()) {
      const where = `killed at ${kill.point}#${kill.pass}`;
      const { house, state } = await wake(place.taskQueue);
      const watchers = [house, house.attic].map((room) => ({ room, watcher: watch(scene.url, room) }));
      await say(scene.url, house, 'Tell them, here and upstairs');
      expect(await worker.ends(), `how the worker to be ${where} ended`).toBe('SIGKILL');

      worker = await start(kills[index + 1], kill.rescue);
      await settles(scene.db, house);
      await eventually(`the agent is asleep after one cycle, ${where}`, 10_000, async () => {
        const { status, cycle } = await state();
        return status === 'asleep' && cycle === 1;
      });
      await check(house, [0, 1, 2, 3, 4, ...(kill.again === undefined ? [] : [kill.again])], where);
      expect(await memoryOf(scene.db, house), `the memory of an agent whose worker was ${where}`).toEqual(undisturbed);
      for (const { room, watcher } of watchers) await checkViews(scene.db, scene.url, room, watcher);
    }
    await killRole(worker);
  });
});

function newQueue(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

function placeOf(taskQueue: string): Surroundings {
  const databaseUrl = scene.world.runtime.database.url;
  return { databaseUrl, temporalAddress: inject('temporalAddress'), taskQueue, modelUrl: scene.model.url };
}

/** Ana and Ada in a house with a Lobby and an Attic. Ada's life has begun already, on a task queue of the test's choice. */
async function wake(taskQueue: string): Promise<{ house: House; state: () => Promise<AgentState> }> {
  const room = await scene.room();
  const memberIds = [room.humanId, room.agentId];
  const attic = await scene.db
    .transaction()
    .execute((trx) => createSpace(trx, { orgId: room.orgId, name: 'Attic', memberIds }));
  const input: AgentInput = { agentId: room.agentId, orgId: room.orgId, name: 'Ada', heartbeatMs: HEARTBEAT_MS };
  const workflowId = agentWorkflowId(room.agentId);
  const { client } = scene.world.runtime;
  const handle = await client.workflow.start(AGENT_WORKFLOW, { workflowId, taskQueue, args: [input] });
  return { house: { ...room, attic: { ...room, spaceId: attic.id } }, state: () => handle.query(statusQuery) };
}

/** One message in each space, four effects, one committed run, nothing left open, and no step asked for that was written down. */
async function check(house: House, stepsAsked: number[], where: string): Promise<void> {
  const { db } = scene;
  const saidIn = async (spaceId: string): Promise<string[]> =>
    (await scene.world.messages(spaceId))
      .filter((message) => message.sender_name === 'Ada')
      .map((message) => message.text);
  expect(await saidIn(house.spaceId), where).toEqual([LOBBY]);
  expect(await saidIn(house.attic.spaceId), where).toEqual([ATTIC]);
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'status', 'cycle'])
    .where('agent_id', '=', house.agentId)
    .execute();
  expect(runs, where).toMatchObject([{ status: 'committed', cycle: 1 }]);
  const calls = await db
    .selectFrom('tool_calls')
    .select(['step', 'name', 'status'])
    .where('run_id', '=', runs[0]!.id)
    .orderBy('step')
    .execute();
  expect(calls, where).toEqual(
    ['enter_space', 'send_message', 'enter_space', 'send_message'].map((name, step) => ({
      step,
      name,
      status: 'done',
    })),
  );
  const drafts = db.selectFrom('drafts').select('id').where('run_id', '=', runs[0]!.id).where('ended_at', 'is', null);
  expect(await drafts.execute(), `drafts left open, ${where}`).toEqual([]);
  for (const spaceId of [house.spaceId, house.attic.spaceId]) {
    const log = await db
      .selectFrom('space_events')
      .select('seq')
      .where('space_id', '=', spaceId)
      .orderBy('seq')
      .execute();
    expect(
      log.map((event) => event.seq),
      where,
    ).toEqual(log.map((_, index) => index + 1));
  }
  const asked = scene.requests(house).map((request) => stepOf(request.body));
  const inOrder = (one: number, other: number): number => one - other;
  expect(asked.toSorted(inOrder), `steps asked of the model, ${where}`).toEqual(stepsAsked.toSorted(inOrder));
}
