import { createParser } from 'eventsource-parser';

import { createAgent } from '../src/agents/create-agent.ts';
import { createHuman } from '../src/entities/create-human.ts';
import { createKey } from '../src/keys/create-key.ts';
import { createSpace } from '../src/spaces/create-space.ts';
import { milliseconds, percentile, table, verdict } from './figures.ts';
import type { Bench } from './open-bench.ts';
import type { PacedModel, Sent } from './paced-model.ts';

const CROWDS = [1, 10, 50];
const AIM_MS = 250;
const PATIENCE_MS = 60_000;

type Listener = {
  agentId: string;
  say(): Promise<void>;
  /** What was on the reader's screen, and since when; settles when the message is complete. */
  seen: Promise<Sent[]>;
  close(): void;
};

/** How long a piece of text is on its way from the model to a reader's screen, when many agents write at once. */
export async function streaming(bench: Bench, model: PacedModel): Promise<string> {
  const rows: string[][] = [];
  let last = Number.NaN;
  for (const agents of CROWDS) {
    const listeners = await Promise.all(Array.from({ length: agents }, () => listen(bench)));
    const started = performance.now();
    await Promise.all(listeners.map((listener) => listener.say()));
    const screens = await Promise.all(listeners.map((listener) => listener.seen));
    const seconds = (performance.now() - started) / 1_000;
    const delays = listeners.flatMap(({ agentId }, index) => delaysOf(model.sent.get(agentId) ?? [], screens[index]!));
    for (const listener of listeners) listener.close();
    last = percentile(delays, 0.95);
    const figures = [percentile(delays, 0.5), last, percentile(delays, 1)].map(milliseconds);
    rows.push([String(agents), String(delays.length), ...figures, `${seconds.toFixed(1)} s`]);
  }
  return [
    `Streaming, ${model.text.length} characters an agent, 8 every 40 ms, one worker process`,
    table([['agents at once', 'chunks', 'p50', 'p95', 'longest', 'all done after'], ...rows]),
    verdict(`${CROWDS.at(-1)} agents: a chunk is seen within ${AIM_MS} ms (p95 ${milliseconds(last)})`, last < AIM_MS),
  ].join('\n');
}

/** For every chunk: from the model's write to the event that brought its last character. */
function delaysOf(sent: Sent[], seen: Sent[]): number[] {
  return sent.map(({ characters, at }) => (seen.find((event) => event.characters >= characters)?.at ?? Infinity) - at);
}

async function listen({ orgId, runtime, url }: Bench): Promise<Listener> {
  const { human, agent, space, key } = await runtime.db.transaction().execute(async (trx) => {
    const ana = await createHuman(trx, orgId, 'Ana');
    const ada = await createAgent(trx, orgId, { name: 'Ada', instructions: 'You answer.', model: 'compatible:paced' });
    const lobby = await createSpace(trx, { orgId, name: 'Lobby', memberIds: [ana.id, ada.id] });
    return { human: ana, agent: ada, space: lobby, key: await createKey(trx, { orgId }) };
  });
  const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' };
  const leaving = new AbortController();
  const stream = await fetch(`${url}/v1/spaces/${space.id}/events`, { headers, signal: leaving.signal });
  if (!stream.ok || stream.body === null)
    throw new Error(`the event stream answered ${stream.status}: ${await stream.text()}`);
  return {
    agentId: agent.id,
    seen: follow(stream.body, agent.id),
    close: () => leaving.abort(),
    async say() {
      const body = JSON.stringify({ senderId: human.id, text: 'Hello Ada' });
      const posted = await fetch(`${url}/v1/spaces/${space.id}/messages`, { method: 'POST', headers, body });
      if (posted.status !== 201)
        throw new Error(`a message was answered with ${posted.status}: ${await posted.text()}`);
      await posted.text();
    },
  };
}

function follow(body: ReadableStream<Uint8Array>, agentId: string): Promise<Sent[]> {
  const seen: Sent[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the message of agent ${agentId} was not complete within ${PATIENCE_MS} ms`)),
      PATIENCE_MS,
    );
    const parser = createParser({
      onEvent(event) {
        const at = performance.now();
        const data = JSON.parse(event.data) as { offset?: number; text?: string; senderId?: string };
        if (event.event === 'message.delta') seen.push({ characters: data.offset! + data.text!.length, at });
        if (event.event !== 'message.created' || data.senderId !== agentId) return;
        clearTimeout(timer);
        resolve(seen);
      },
    });
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
    };
    read().catch(reject); // after the message nobody waits any more
  });
}
