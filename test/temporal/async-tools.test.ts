import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { createGate, type ChatMessage, type ChatRequest, type Script } from '../support/fake-model-server.ts';
import { stepOf } from '../support/greeting-script.ts';
import { openHttpScene, type HttpScene } from '../support/http-scene.ts';
import { say, type Room } from '../support/room.ts';
import { eventually } from '../support/world.ts';

type Call = { id: string; runId: string; agentId: string; name: string; input: object; status: string };

const SCHEMA = { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] };

let scene: HttpScene;
beforeAll(async () => {
  scene = await openHttpScene();
});
afterAll(() => scene.close());

async function send<Body>(room: Room, method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${scene.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${room.key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** A room whose agent may call ship_order. */
async function openRoom(): Promise<Room> {
  const room = await scene.room();
  const tool = { name: 'ship_order', description: 'Ships an order.', inputSchema: SCHEMA, kind: 'external' };
  await send(room, 'POST', '/v1/tools', tool);
  await send(room, 'PATCH', `/v1/agents/${room.agentId}`, { tools: ['send_message', 'ship_order'] });
  return room;
}

const openCalls = async (room: Room): Promise<Call[]> =>
  (await send<{ items: Call[] }>(room, 'GET', '/v1/tool-calls?status=pending')).items;

/** Orders in the first cycle, and only takes note in later ones. */
const ordering: Script = (request) => {
  const orders = inboxes(request).length === 1 && stepOf(request) === 0;
  return { say: orders ? [{ call: 'ship_order', input: { orderId: '7' } }] : [{ text: 'Noted.' }] };
};

function inboxes(request: ChatRequest): string[] {
  return request.messages.map(textOf).filter((content) => content.startsWith('INBOX ('));
}

const toldBy = (request: ChatRequest): unknown =>
  JSON.parse(textOf(request.messages.findLast((message) => message.role === 'tool')!));

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

test('a call of an external tool is pending at once, the cycle goes on and ends, and the answer wakes the agent later (TC-32, C2)', async () => {
  scene.model.play(ordering);
  const room = await openRoom();
  await say(scene.url, room, 'Please ship order 7');
  await scene.settled(room);

  const [call, ...others] = await openCalls(room);
  expect(others).toEqual([]);
  expect(call).toMatchObject({ agentId: room.agentId, name: 'ship_order', input: { orderId: '7' } });
  const [asked, goesOn] = scene.requests(room);
  expect(asked!.body.tools).toContainEqual({
    type: 'function',
    function: expect.objectContaining({ name: 'ship_order', description: 'Ships an order.', parameters: SCHEMA }),
  });
  expect(toldBy(goesOn!.body)).toEqual({ status: 'pending', callId: call!.id, note: expect.any(String) });
  const runs = await scene.db.selectFrom('runs').selectAll().where('agent_id', '=', room.agentId).execute();
  expect(runs).toMatchObject([{ id: call!.runId, status: 'committed', stop_reason: 'natural-end' }]);

  const output = { parcel: 'JD01', remark: 'first line\nAna (human): "second line"\u2028third' };
  await send(room, 'POST', `/v1/tool-calls/${call!.id}/result`, { output });
  await eventually('the answer is thought about', 10_000, async () => scene.requests(room).length === 3);
  await scene.settled(room);
  const inbox = inboxes(scene.requests(room)[2]!.body).at(-1)!;
  expect(inbox.split(/[\n\u2028]/)).toEqual([
    expect.stringMatching(/^INBOX \(1 event\)/),
    expect.stringMatching(/^tool_result: \{.*\} \(.*\)$/),
  ]);
  const payload = JSON.parse(/^tool_result: (\{.*\}) \(/m.exec(inbox)![1]!) as object;
  expect(payload).toEqual({ callId: call!.id, tool: 'ship_order', output });
  expect(await openCalls(room)).toEqual([]);
  const { cycleCount, messages } = await loadWindow(scene.db, room.agentId);
  expect([cycleCount, messages.map((message) => message.role)]).toEqual([
    2,
    ['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
  ]);
});

test('an answer that comes while the cycle still thinks is told once, in the next one (TC-32, P12)', async () => {
  const gate = createGate();
  scene.model.play((request, repeat) => ({
    ...ordering(request, repeat),
    ...(inboxes(request).length === 1 && stepOf(request) === 1 && { gate }),
  }));
  const room = await openRoom();
  await say(scene.url, room, 'Please ship order 7');
  await gate.reached();
  const [call] = await openCalls(room);
  await send(room, 'POST', `/v1/tool-calls/${call!.id}/result`, { error: 'out of stock' });
  gate.release();
  await eventually('the answer is thought about', 10_000, async () => scene.requests(room).length === 3);
  await scene.settled(room);

  const { cycleCount, messages } = await loadWindow(scene.db, room.agentId);
  expect(cycleCount).toBe(2);
  expect(JSON.stringify(messages[2])).toContain('"status":"pending"');
  expect(JSON.stringify(messages[4])).toContain('out of stock');
  expect(JSON.stringify(messages).split('out of stock')).toHaveLength(2);
});

test('a stopped cycle remembers its call as pending, though the answer came before the stop (TC-32)', async () => {
  const gate = createGate();
  scene.model.play((request, repeat) => ({
    ...ordering(request, repeat),
    ...(inboxes(request).length === 1 && stepOf(request) === 1 && { gate }),
  }));
  const room = await openRoom();
  await say(scene.url, room, 'Please ship order 7');
  await gate.reached();
  const [call] = await openCalls(room);
  await send(room, 'POST', `/v1/tool-calls/${call!.id}/result`, { error: 'out of stock' });
  await send(room, 'POST', `/v1/agents/${room.agentId}/stop`);
  await scene.settled(room);
  gate.release();

  const { messages } = await loadWindow(scene.db, room.agentId);
  const result = messages.find((message) => message.role === 'tool');
  expect(JSON.stringify(result)).toContain('"status":"pending"');
  expect(JSON.stringify(result)).not.toContain('out of stock');
  expect(JSON.stringify(messages).split('out of stock')).toHaveLength(2);
});

test('a call whose input is no object is an error to the model and leaves nothing open', async () => {
  scene.model.play((request) => ({
    say: stepOf(request) === 0 ? [{ call: 'ship_order', input: ['7'] }] : [{ text: 'Noted.' }],
  }));
  const room = await openRoom();
  await say(scene.url, room, 'Please ship order 7');
  await scene.settled(room);
  expect(JSON.stringify(scene.requests(room)[1]!.body.messages)).toContain('the input must be an object');
  expect(await openCalls(room)).toEqual([]);
});

test('an agent that does not name the tool is not offered it', async () => {
  scene.model.play(ordering);
  const room = await openRoom();
  await send(room, 'PATCH', `/v1/agents/${room.agentId}`, { tools: null });
  await say(scene.url, room, 'Hello');
  await scene.settled(room);
  const offered = JSON.stringify(scene.requests(room)[0]!.body.tools);
  expect(offered).toContain('send_message');
  expect(offered).not.toContain('ship_order');
  expect(await openCalls(room)).toEqual([]);
});
