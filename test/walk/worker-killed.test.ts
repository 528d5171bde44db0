import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { checkRoom, checkViews, memoryOf, settles } from '../support/checker.ts';
import { createGate } from '../support/fake-model-server.ts';
import { greetingScript, requestsOf, stepOf } from '../support/greeting-script.ts';
import { killAllRoles, killRole, startWorkerRole } from '../support/roles.ts';
import { createRoom, say, watch, type Room, type Watcher } from '../support/room.ts';
import { openApi, openStage, type Stage } from '../support/stage.ts';
import { eventually } from '../support/world.ts';

const HELLO = 'Hello Ada';
// As workflows/agent.ts sets it.
const HEARTBEAT_TIMEOUT_MS = 5_000;

// Where the worker dies; #2 is the second pass, in step 1, where the greeter sends its first message. Only a step that was
// not yet journaled is asked of the model again.
const CRASHES: { at: string; askedAgain?: boolean }[] = [
  { at: 'cycle.after_claim' },
  { at: 'llm.mid_stream#14', askedAgain: true },
  { at: 'step.before_journal#2', askedAgain: true },
  { at: 'step.after_journal#2' },
  { at: 'tool.before_effect#2' },
  { at: 'tool.after_effect#2' },
  { at: 'step.before_end#2' },
  { at: 'cycle.before_commit' },
  { at: 'cycle.after_commit' },
];

// reference-cycle.test.ts goes through all points too; here a developer waits for the two that matter most.
const all = process.env['WAKEFUL_ALL_KILLS'] === 'true';
const chosen = all
  ? CRASHES
  : CRASHES.filter(({ at }) => at.startsWith('llm.mid_stream') || at.startsWith('tool.after_effect'));

let undisturbed: unknown;

beforeAll(async () => {
  const stage = await openStage(greetingScript());
  const api = await openApi(stage);
  const room = await createRoom(stage.db);
  const worker = await startWorkerRole(stage.place);
  const watcher = watch(api.url, room);
  await say(api.url, room, HELLO);
  await settles(stage.db, room);
  await checkRoom(stage.db, room, [HELLO]);
  await checkViews(stage.db, api.url, room, watcher);
  undisturbed = await memoryOf(stage.db, room);
  await killRole(worker);
  await api.close();
  await stage.close();
});

afterAll(killAllRoles);

describe.concurrent('a worker killed at any point leaves the cycle as if nothing had happened (CN-29…CN-31, C13)', () => {
  test.for(chosen)('killed at $at', { timeout: 60_000 }, async ({ at, askedAgain }) => {
    const stage = await openStage(greetingScript());
    const api = await openApi(stage);
    const room = await createRoom(stage.db);
    const watcher = watch(api.url, room);
    const doomed = await startWorkerRole(stage.place, { crashPoint: at });

    await say(api.url, room, HELLO);
    expect(await doomed.ends(), `the worker dies at ${at}`).toBe('SIGKILL');
    const successor = await startWorkerRole(stage.place);
    await settles(stage.db, room);

    await checkRoom(stage.db, room, [HELLO]);
    await checkViews(stage.db, api.url, room, watcher);
    expect(await memoryOf(stage.db, room)).toEqual(undisturbed);
    const expected = askedAgain ? [0, 1, 1, 2, 3] : [0, 1, 2, 3];
    expect(stepsAsked(stage, room)).toEqual(expected);
    await killRole(successor);
    await api.close();
    await stage.close();
  });

  test('killed from outside while the model is in the middle of a message', { timeout: 60_000 }, async () => {
    const gate = createGate();
    const stage = await openStage(greetingScript({ step: 2, gate }));
    const api = await openApi(stage);
    const room = await createRoom(stage.db);
    const watcher = watch(api.url, room);
    const doomed = await startWorkerRole(stage.place);

    await say(api.url, room, HELLO);
    await gate.reached();
    await eventually('the reader sees half a message', 5_000, async () => textsInView(watcher).some(Boolean));
    await killRole(doomed);
    const asked = stage.model.requests.at(-1);
    await eventually('the model is hung up on', 5_000, async () => asked?.state === 'closed by the client');
    gate.release();
    const successor = await startWorkerRole(stage.place);
    await settles(stage.db, room);

    await checkRoom(stage.db, room, [HELLO]);
    await checkViews(stage.db, api.url, room, watcher);
    expect(await memoryOf(stage.db, room)).toEqual(undisturbed);
    expect(stepsAsked(stage, room)).toEqual([0, 1, 2, 2, 3]);
    const log = await stage.db.selectFrom('space_events').select('type').where('space_id', '=', room.spaceId).execute();
    expect(log.filter((event) => event.type === 'message.discarded')).toHaveLength(1);
    await killRole(successor);
    await api.close();
    await stage.close();
  });

  test('frozen in the middle of a message for longer than its heartbeat', { timeout: 60_000 }, async () => {
    const gate = createGate();
    const stage = await openStage(greetingScript({ step: 2, gate }));
    const api = await openApi(stage);
    const room = await createRoom(stage.db);
    const watcher = watch(api.url, room);
    const frozen = await startWorkerRole(stage.place);

    await say(api.url, room, HELLO);
    await gate.reached();
    frozen.kill('SIGSTOP');
    await sleep(HEARTBEAT_TIMEOUT_MS + 1_000);
    gate.release();
    frozen.kill('SIGCONT'); // the attempt that was given up goes on beside the one that replaces it
    await settles(stage.db, room);

    await checkRoom(stage.db, room, [HELLO]);
    await checkViews(stage.db, api.url, room, watcher);
    expect(await memoryOf(stage.db, room)).toEqual(undisturbed);
    await killRole(frozen);
    await api.close();
    await stage.close();
  });
});

function textsInView(watcher: Watcher): string[] {
  return watcher.view().drafts.map((draft) => draft.text);
}

function stepsAsked(stage: Stage, room: Room): number[] {
  return requestsOf(stage.model.requests, room.agentId).map((request) => stepOf(request.body));
}
