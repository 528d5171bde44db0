import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { checkViews } from '../support/checker.ts';
import { createGate, type RecordedRequest } from '../support/fake-model-server.ts';
import { stepOf } from '../support/greeting-script.ts';
import { openHttpScene, speech, type HttpScene } from '../support/http-scene.ts';
import { say, watch, type Room } from '../support/room.ts';
import { openStream } from '../support/sse.ts';
import { eventually } from '../support/world.ts';

const TEXT = 'This is a long answer of which a reader has seen a good part by the time that somebody stops it.';
const STOP_MS = 2_000;

let scene: HttpScene;
beforeAll(async () => {
  // A failed cycle waits five times as long before it is tried again: nobody could mistake that for a stop.
  scene = await openHttpScene({ environment: { WAKEFUL_MODEL_RETRY_MS: '3000' } });
});
afterAll(() => scene.close());

const stop = (room: Room) => scene.call('POST', `/v1/agents/${room.agentId}/stop`, room);

const runsOf = (room: Room) =>
  scene.db.selectFrom('runs').selectAll().where('agent_id', '=', room.agentId).orderBy('cycle').execute();

const hungUp = (request: RecordedRequest): Promise<void> =>
  eventually(
    'the model server sees the connection close',
    STOP_MS,
    async () => request.state === 'closed by the client',
  );

async function answers(room: Room): Promise<string[]> {
  const messages = await scene.world.messages(room.spaceId);
  return messages.filter((message) => message.sender_name === 'Ada').map((message) => message.text);
}

test('stop in the middle of a message hangs up on the model, keeps what was finished, and the agent lives on (AL-33, D19)', async () => {
  const gate = createGate();
  scene.model.play(speech(TEXT, (step) => (step === 1 ? { gate } : {})));
  const room = await scene.room();
  const watcher = watch(scene.url, room);
  await say(scene.url, room, 'Hello Ada');
  await gate.reached();
  await eventually('a reader sees half the message', 5_000, async () => Boolean(watcher.view().drafts[0]?.text));

  const stopped = await stop(room);
  expect(stopped).toMatchObject({ status: 202, body: { runId: (await runsOf(room))[0]!.id } });
  await hungUp(scene.requests(room)[1]!);
  await scene.settled(room);
  gate.release();
  expect((await runsOf(room))[0]).toMatchObject({ status: 'stopped', stop_reason: 'stopped', cycle: 1 });
  const { messages } = await loadWindow(scene.db, room.agentId);
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(JSON.stringify(messages)).toContain('I was stopped by a person');

  scene.model.play((request) =>
    stepOf(request) === 0
      ? { say: [{ call: 'send_message', input: { text: 'Here again.' } }] }
      : { say: [{ text: 'Done.' }] },
  );
  await say(scene.url, room, 'And now?');
  await scene.settled(room);
  expect(await answers(room)).toEqual(['Here again.']);
  expect((await runsOf(room)).map((run) => run.status)).toEqual(['stopped', 'committed']);
  await checkViews(scene.db, scene.url, room, watcher);
});

test('stop before the model has answered hangs up as well', async () => {
  const gate = createGate();
  scene.model.play(speech(TEXT, (step) => (step === 0 ? { gate, gateAt: 0 } : {})));
  const room = await scene.room();
  await say(scene.url, room, 'Hello Ada');
  await gate.reached();
  expect((await stop(room)).status).toBe(202);
  await hungUp(scene.requests(room)[0]!);
  await scene.settled(room);
  gate.release();
  expect(await runsOf(room)).toMatchObject([{ status: 'stopped' }]);
});

test('stop ends the wait between two tries of a model call', async () => {
  const headers = { 'retry-after': '30' };
  scene.model.play(speech(TEXT, (step) => (step === 1 ? { fault: { kind: 'status', status: 429, headers } } : {})));
  const room = await scene.room();
  const watcher = watch(scene.url, room);
  await say(scene.url, room, 'Hello Ada');
  await eventually('the space is told of the wait', 10_000, async () =>
    Object.values(watcher.view().agents).some((agent) => agent.notice?.kind === 'retrying'),
  );
  expect((await stop(room)).status).toBe(202);
  await scene.settled(room, STOP_MS);
  expect(await runsOf(room)).toMatchObject([{ status: 'stopped' }]);
  expect(scene.requests(room)).toHaveLength(2);
  await checkViews(scene.db, scene.url, room, watcher);
});

test('stop ends the wait before a failed cycle is tried again, and keeps its finished steps', async () => {
  scene.model.play(speech(TEXT, (step) => (step === 1 ? { fault: { kind: 'status', status: 401 } } : {})));
  const room = await scene.room();
  const watcher = watch(scene.url, room);
  await say(scene.url, room, 'Hello Ada');
  await eventually('the cycle has failed once', 10_000, async () => (await runsOf(room))[0]?.failures === 1);
  expect((await stop(room)).status).toBe(202);
  await scene.settled(room, STOP_MS);
  expect(await runsOf(room)).toMatchObject([{ status: 'stopped' }]);
  expect(scene.requests(room)).toHaveLength(2);
  const { messages } = await loadWindow(scene.db, room.agentId);
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  await checkViews(scene.db, scene.url, room, watcher);
});

test('an agent that sleeps cannot be stopped, not even right after it was', async () => {
  scene.model.play(speech(TEXT));
  const room = await scene.room();
  expect(await stop(room)).toMatchObject({ status: 409, body: { title: expect.any(String), status: 409 } });
  await say(scene.url, room, 'Hello Ada');
  await scene.settled(room);
  expect((await stop(room)).status).toBe(409);
  expect(await answers(room)).toEqual([TEXT]);
});

test('a reader that leaves in the middle of a message stops nothing (TL-30)', async () => {
  const gate = createGate();
  scene.model.play(speech(TEXT, (step) => (step === 1 ? { gate } : {})));
  const room = await scene.room();
  const reader = await openStream(scene.url, `/v1/spaces/${room.spaceId}/events`, room.key);
  await say(scene.url, room, 'Hello Ada');
  await gate.reached();
  await reader.until('the first words', (events) => events.some((event) => event.type === 'message.delta'));
  reader.close();
  await reader.ended;
  await new Promise((resolve) => setTimeout(resolve, 500)); // time enough for a hang-up to arrive, if there were one
  expect(scene.requests(room)[1]?.state).toBe('open');
  gate.release();
  await scene.settled(room);
  expect(await answers(room)).toEqual([TEXT]);
  expect(await runsOf(room)).toMatchObject([{ status: 'committed' }]);
});
