import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { checkRoom, checkViews, memoryOf, settles } from '../support/checker.ts';
import { createGate } from '../support/fake-model-server.ts';
import { GREETING_STEPS, greetingScript, requestsOf, stepOf } from '../support/greeting-script.ts';
import { killAllRoles, killRole, startWorkerRole } from '../support/roles.ts';
import { createRoom, say, watch, type Room } from '../support/room.ts';
import { openApi, openStage, type Stage } from '../support/stage.ts';

const HELLO = 'Hello Ada';

// Where the worker dies, and which step, if any, must be asked of the model a second time. A step is asked again only
// when it was not yet journaled; #n picks the pass, and the greeter's calls come in steps 0, 1 and 2.
const CRASHES: { at: string; askedAgain?: number }[] = [
  { at: 'cycle.after_claim' },
  { at: 'llm.mid_stream#14', askedAgain: 1 },
  { at: 'step.before_journal#2', askedAgain: 1 },
  { at: 'step.after_journal#2' },
  { at: 'tool.before_effect#2' },
  { at: 'tool.after_effect#2' },
  { at: 'step.before_end#2' },
  { at: 'cycle.before_commit' },
  { at: 'cycle.after_commit' },
];

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
  expect(requestsOf(stage.model.requests, room.agentId)).toHaveLength(GREETING_STEPS);
  undisturbed = await memoryOf(stage.db, room);
  await killRole(worker);
  await api.close();
  await stage.close();
});

afterAll(killAllRoles);

describe.concurrent('a worker killed at any point leaves the cycle as if nothing had happened', () => {
  test.for(CRASHES)('killed at $at', { timeout: 60_000 }, async ({ at, askedAgain }) => {
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
    const again = askedAgain === undefined ? [] : [askedAgain];
    expect(stepsAsked(stage, room)).toEqual([0, 1, 2, 3, ...again].toSorted());
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
    await expect.poll(() => watcher.view().drafts.map((draft) => draft.text.length > 0)).toEqual([true]);
    await killRole(doomed);
    await expect.poll(() => stage.model.requests.at(-1)?.state).toBe('closed by the client');
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
});

function stepsAsked(stage: Stage, room: Room): number[] {
  return requestsOf(stage.model.requests, room.agentId)
    .map((request) => stepOf(request.body))
    .toSorted();
}
