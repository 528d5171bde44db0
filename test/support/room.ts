import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent } from '../../src/agents/create-agent.ts';
import type { Db } from '../../src/db/open-database.ts';
import { createHuman } from '../../src/entities/create-human.ts';
import { createKey } from '../../src/keys/create-key.ts';
import { createOrganization } from '../../src/organizations/create-organization.ts';
import { createSpace } from '../../src/spaces/create-space.ts';
import { createApiClient, type ApiClient } from '../../src/web/api-client.ts';
import { followSpace } from '../../src/web/follow-space.ts';
import { changeSpaceView, EMPTY_VIEW, type SpaceView } from '../../src/web/space-view.ts';
import type { Message } from '../../src/web/wire.ts';
import { eventually } from './world.ts';

export type Room = { orgId: string; key: string; humanId: string; agentId: string; spaceId: string };

/** Ana and the agent Ada in a space "Lobby", in an organisation of their own: each case has the same names, and no other's rows. */
export function createRoom(db: Db): Promise<Room> {
  return db.transaction().execute(async (trx) => {
    const { id: orgId } = await createOrganization(trx, 'Test');
    const { key } = await createKey(trx, { orgId });
    const { id: humanId } = await createHuman(trx, orgId, 'Ana');
    await sleep(2); // members are listed by id, and ids of one millisecond have no order
    const { id: agentId } = await createAgent(trx, orgId, { name: 'Ada', instructions: 'Greet everybody twice.' });
    const { id: spaceId } = await createSpace(trx, { orgId, name: 'Lobby', memberIds: [humanId, agentId] });
    return { orgId, key, humanId, agentId, spaceId };
  });
}

/** One POST of a message, as a client would send it; rejects when the connection breaks. */
export function post(url: string, room: Room, text: string, idempotencyKey?: string): Promise<Response> {
  return fetch(`${url}/v1/spaces/${room.spaceId}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${room.key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify({ senderId: room.humanId, text }),
    signal: AbortSignal.timeout(15_000),
  });
}

export async function say(url: string, room: Room, text: string): Promise<Message> {
  const response = await post(url, room, text);
  if (response.status !== 201) throw new Error(`posting answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Message;
}

export type Watcher = { view(): SpaceView; stop(): Promise<void> };

/** A reader of the space's stream that stays on, coming back with Last-Event-ID whenever it is cut off. */
export function watch(url: string, room: Room): Watcher {
  let view = EMPTY_VIEW;
  const leaving = new AbortController();
  const following = followSpace({
    api: client(url, room),
    spaceId: room.spaceId,
    signal: leaving.signal,
    onEvents: (events) => (view = changeSpaceView(view, { kind: 'events', events })),
    onConnection: () => undefined,
  });
  return {
    view: () => view,
    async stop() {
      leaving.abort();
      await following;
    },
  };
}

/** What a reader sees that comes now and reads from the beginning. */
export async function readFromStart(url: string, room: Room, lastSeq: number): Promise<SpaceView> {
  const reader = watch(url, room);
  await eventually(`a new reader comes to event ${lastSeq}`, 5_000, async () => reader.view().lastSeq >= lastSeq);
  await reader.stop();
  return reader.view();
}

function client(url: string, room: Room): ApiClient {
  return createApiClient(room.key, () => undefined, url);
}
