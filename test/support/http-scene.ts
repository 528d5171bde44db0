import type { Db } from '../../src/db/open-database.ts';
import { startServer } from '../../src/server.ts';
import type { ChatRequest, FakeModelServer, FakeReply, RecordedRequest, Script } from './fake-model-server.ts';
import { startFakeModelServer } from './fake-model-server.ts';
import { requestsOf, stepOf } from './greeting-script.ts';
import { createRoom, type Room } from './room.ts';
import { openWorld, type World } from './world.ts';

export type HttpScene = {
  world: World;
  db: Db;
  /** Of the API. */
  url: string;
  model: FakeModelServer;
  room(settings?: object): Promise<Room>;
  /** What the model was asked for this agent. */
  requests(room: Room): RecordedRequest[];
  settled(room: Room, milliseconds?: number): Promise<void>;
  call(method: string, path: string, room: Room): Promise<{ status: number; body: Record<string, unknown> }>;
  close(): Promise<void>;
};

/** Everything over HTTP: the API in front, and the real provider code against a model server that can misbehave. */
export async function openHttpScene(
  options: { environment?: Record<string, string>; worker?: boolean } = {},
): Promise<HttpScene> {
  const model = await startFakeModelServer(speech('Hello.'));
  const environment = { PORT: '0', ...options.environment };
  const world = await openWorld({ modelUrl: model.url, environment, worker: options.worker ?? true });
  const server = await startServer(world.runtime, { withConsole: false });
  const { db } = world.runtime;
  return {
    world,
    db,
    url: server.url,
    model,
    async room(settings) {
      const room = await createRoom(db);
      if (settings !== undefined)
        await db
          .updateTable('agents')
          .set({ settings: JSON.stringify(settings) })
          .where('id', '=', room.agentId)
          .execute();
      return room;
    },
    requests: (room) => requestsOf(model.requests, room.agentId),
    settled: (room, milliseconds) => world.settled({ id: room.agentId, name: 'Ada', kind: 'agent' }, milliseconds),
    async call(method, path, room) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${room.key}` },
        signal: AbortSignal.timeout(10_000),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async close() {
      await server.close();
      await world.close();
      await model.close();
    },
  };
}

/** Three steps: enter the space, say the text, end. `twist` changes what is said in a step. */
export function speech(text: string, twist: (step: number, repeat: number) => Partial<FakeReply> = () => ({})): Script {
  return (request, repeat) => {
    const step = stepOf(request);
    const say: FakeReply['say'][] = [
      [{ call: 'enter_space', input: { spaceId: spaceIn(request) } }],
      [{ call: 'send_message', input: { text } }],
    ];
    return { say: say[step] ?? [{ text: 'Done.' }], ...twist(step, repeat) };
  };
}

export function spaceIn(request: ChatRequest): string {
  return /space ([0-9a-f-]{36})/.exec(JSON.stringify(request.messages))?.[1] ?? 'none';
}
