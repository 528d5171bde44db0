import { createHash } from 'node:crypto';

export type FakePart = { text: string } | { reasoning: string } | { call: string; input: object | string; id?: string };

export type FakeReply = {
  /** Texts and tool calls in order. */
  say: FakePart[];
  /** Characters per chunk. Providers send a token or so at a time. */
  chunkSize?: number;
  pauseMs?: number;
  /** Holds the reply until the test lets it go on: before chunk `gateAt` (0: before any), else in the middle. */
  gate?: Gate;
  gateAt?: number;
  finish?: 'stop' | 'tool_calls' | 'length' | 'content_filter';
  fault?: Fault;
};

/** `after` counts chunks; without it the fault comes in the middle of the reply. */
export type Fault =
  | { kind: 'status'; status: number; headers?: Record<string, string>; message?: string }
  | { kind: 'error'; after?: number; message: string }
  | { kind: 'reset' | 'stall' | 'truncate' | 'garbage'; after?: number };

export type Gate = {
  /** Settles when that many replies have come to the gate. */
  reached(count?: number, milliseconds?: number): Promise<void>;
  release(): void;
  /** Used by the server. */
  pass(): Promise<void>;
};

export function createGate(): Gate {
  const released = Promise.withResolvers<void>();
  let arrived = 0;
  return {
    async reached(count = 1, milliseconds = 20_000) {
      const deadline = Date.now() + milliseconds;
      while (arrived < count) {
        if (Date.now() > deadline)
          throw new Error(`${arrived} of ${count} replies came to the gate in ${milliseconds} ms`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    release: () => released.resolve(),
    async pass() {
      arrived += 1;
      await released.promise;
    },
  };
}

/** The same words for the same prompt: a name for it that does not change. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}

type Delta = {
  role?: 'assistant';
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; type?: 'function'; function: { name?: string; arguments: string } }[];
};

/** The deltas in which a chat-completions server streams the reply: a call's name first, then its arguments bit by bit. */
export function deltasOf(reply: FakeReply, name: string): Delta[] {
  const size = reply.chunkSize ?? 8;
  const deltas: Delta[] = [{ role: 'assistant', content: '' }];
  let index = 0;
  for (const part of reply.say) {
    if ('text' in part) {
      for (const content of pieces(part.text, size)) deltas.push({ content });
    } else if ('reasoning' in part) {
      for (const reasoning_content of pieces(part.reasoning, size)) deltas.push({ reasoning_content });
    } else {
      const id = part.id ?? `call-${name}-${index}`;
      deltas.push({ tool_calls: [{ index, id, type: 'function', function: { name: part.call, arguments: '' } }] });
      const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
      for (const piece of pieces(input, size)) deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
      index += 1;
    }
  }
  return deltas;
}

export function finishOf(reply: FakeReply): string {
  return reply.finish ?? (reply.say.some((part) => 'call' in part) ? 'tool_calls' : 'stop');
}

/** Rough, but the same each time: four characters are a token. */
export function usageOf(prompt: unknown, reply: FakeReply): object {
  const prompt_tokens = Math.ceil(JSON.stringify(prompt).length / 4);
  const completion_tokens = Math.ceil(JSON.stringify(reply.say).length / 4);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function pieces(text: string, size: number): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}
