import { createParser } from 'eventsource-parser';

import { createAgent } from '../src/agents/create-agent.ts';
import type { GivenSettings } from '../src/agents/settings.ts';
import { createHuman } from '../src/entities/create-human.ts';
import { createKey } from '../src/keys/create-key.ts';
import { createSpace } from '../src/spaces/create-space.ts';
import type { Bench } from './open-bench.ts';

/** Times since the POST was sent; `acceptedMs` is its 201, which is when the agent is woken. */
export type Answered = { acceptedMs: number; firstDeltaMs: number; replyMs: number };

export type Room = {
  spaceId: string;
  agentId: string;
  human: { id: string; name: string; kind: 'human' };
  /** Posts a message over HTTP; settles when the agent's reply has reached the reader of the event stream. */
  ask(text: string): Promise<Answered>;
  /** Settles when the agent has said on the stream that it sleeps, once more than when asked. */
  asleep(): Promise<void>;
  close(): void;
};

const PATIENCE_MS = 30_000;

/** A space with one human and one agent that answers at once, and a reader of its event stream. */
export async function openRoom(bench: Bench, settings: GivenSettings): Promise<Room> {
  const { orgId, runtime, url } = bench;
  const { human, agent, space, key } = await runtime.db.transaction().execute(async (trx) => {
    const ana = await createHuman(trx, orgId, 'Ana');
    const ada = await createAgent(trx, orgId, {
      name: 'Ada',
      instructions: 'You answer.',
      model: 'rehearsal:instant',
      settings,
    });
    const lobby = await createSpace(trx, { orgId, name: 'Lobby', memberIds: [ana.id, ada.id] });
    return { human: ana, agent: ada, space: lobby, key: await createKey(trx, { orgId }) };
  });
  const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' };
  const heard = new Listeners();
  const leaving = new AbortController();
  const stream = await fetch(`${url}/v1/spaces/${space.id}/events`, { headers, signal: leaving.signal });
  if (!stream.ok || stream.body === null)
    throw new Error(`the event stream answered ${stream.status}: ${await stream.text()}`);
  void follow(stream.body, heard).catch(() => undefined); // ended by close, or a wait on it runs out of time

  return {
    spaceId: space.id,
    agentId: agent.id,
    human: { id: human.id, name: human.name, kind: 'human' },
    async ask(text) {
      const firstDelta = heard.next('message.delta');
      const reply = heard.next('message.created', (data) => data.includes('"senderKind": "agent"'));
      const sent = performance.now();
      const posted = await fetch(`${url}/v1/spaces/${space.id}/messages`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ senderId: human.id, text }),
      });
      const acceptedMs = performance.now() - sent;
      if (posted.status !== 201)
        throw new Error(`a message was answered with ${posted.status}: ${await posted.text()}`);
      void posted.text();
      return { acceptedMs, firstDeltaMs: (await firstDelta) - sent, replyMs: (await reply) - sent };
    },
    asleep: async () => void (await heard.next('agent.status', (data) => data.includes('"asleep"'))),
    close: () => leaving.abort(),
  };
}

type Listener = {
  type: string;
  matches: (data: string) => boolean;
  resolve: (at: number) => void;
  timer: NodeJS.Timeout;
};

class Listeners {
  #waiting: Listener[] = [];

  /** When the next event of this kind arrives. */
  next(type: string, matches: (data: string) => boolean = () => true): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${type} came within ${PATIENCE_MS} ms`)), PATIENCE_MS);
      this.#waiting.push({ type, matches, resolve, timer });
    });
  }

  hear(type: string, data: string): void {
    const at = performance.now();
    this.#waiting = this.#waiting.filter((one) => {
      if (one.type !== type || !one.matches(data)) return true;
      clearTimeout(one.timer);
      one.resolve(at);
      return false;
    });
  }
}

async function follow(body: ReadableStream<Uint8Array>, heard: Listeners): Promise<void> {
  const parser = createParser({ onEvent: (event) => heard.hear(event.event ?? 'message', event.data) });
  const decoder = new TextDecoder();
  for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
}
