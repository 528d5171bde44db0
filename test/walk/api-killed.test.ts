import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Message } from '../../src/web/wire.ts';
import { checkRoom, checkViews, memoryOf, settles } from '../support/checker.ts';
import { greetingScript, requestsOf } from '../support/greeting-script.ts';
import { killAllRoles, killRole, startApiRole, startWorkerRole } from '../support/roles.ts';
import { createRoom, post, say, watch } from '../support/room.ts';
import { openStage, type Stage } from '../support/stage.ts';

const HELLO = 'Hello Ada';

let stage: Stage;
let undisturbed: unknown;

beforeAll(async () => {
  stage = await openStage(greetingScript());
  await startWorkerRole(stage.place);
  const api = await startApiRole(stage.place);
  const room = await createRoom(stage.db);
  await say(api.url, room, HELLO);
  await settles(stage.db, room);
  await checkRoom(stage.db, room, [HELLO]);
  undisturbed = await memoryOf(stage.db, room);
  await killRole(api);
});

afterAll(async () => {
  await killAllRoles();
  await stage?.close();
});

test.for(['api.after_insert', 'relay.before_signal', 'relay.after_signal'])(
  'a message whose API dies at %s is answered once, also when the client sends it again',
  async (crashPoint) => {
    const doomed = await startApiRole(stage.place, { crashPoint });
    const room = await createRoom(stage.db);
    const watcher = watch(doomed.url, room);
    const key = randomUUID();

    const accepted = await post(doomed.url, room, HELLO, key)
      .then((response) => response.json() as Promise<Message>)
      .catch(() => undefined); // the connection broke: the client cannot know
    expect(await doomed.ends()).toBe('SIGKILL');
    await settles(stage.db, room); // the worker's sweep alone finds the message

    const api = await startApiRole(stage.place, { port: doomed.port });
    const again = await post(api.url, room, HELLO, key);
    expect(again.status).toBe(201);
    const repeated = (await again.json()) as Message;
    expect(repeated).toEqual(accepted ?? { ...repeated, seq: 1, text: HELLO });
    await settles(stage.db, room);

    await checkRoom(stage.db, room, [HELLO]);
    await checkViews(stage.db, api.url, room, watcher);
    expect(await memoryOf(stage.db, room)).toEqual(undisturbed);
    expect(requestsOf(stage.model.requests, room.agentId)).toHaveLength(4);
    await killRole(api);
  },
);
