import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** When the model had sent this many characters of its message. */
export type Sent = { characters: number; at: number };

export type PacedModel = {
  /** For WAKEFUL_COMPATIBLE_URL. */
  url: string;
  /** What was sent for an agent's message, chunk by chunk. */
  sent: Map<string, Sent[]>;
  text: string;
  close(): Promise<void>;
};

// Two tokens every 40 ms: fifty a second, as a quick model writes.
const CHUNK = 8;
const PAUSE_MS = 40;
// Six seconds of it; nothing that JSON would write differently.
const TEXT = 'Fifty agents speak at once and each of them wants to be heard at once. '.repeat(17);

type Delta = { content?: string; tool_calls?: object[] };

/** A chat-completions server that enters the space, writes one message at the pace of a model, and ends. */
export async function startPacedModel(): Promise<PacedModel> {
  const sent = new Map<string, Sent[]>();
  const server = createServer((request, response) => {
    void answer(request, response, sent).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sent,
    text: TEXT,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, sent: PacedModel['sent']): Promise<void> {
  const body = JSON.parse(await textOf(request)) as { messages: { role: string; content: unknown }[] };
  const agentId = /entityId: ([0-9a-f-]{36})/.exec(JSON.stringify(body.messages[0]))?.[1] ?? 'unknown';
  const step = body.messages.filter((message) => message.role === 'assistant').length;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: Delta, finish: string | null = null): void => {
    const chunk = { id: 'paced', created: 0, model: 'paced', choices: [{ index: 0, delta, finish_reason: finish }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const call = (name: string): void =>
    send({ tool_calls: [{ index: 0, id: `call-${step}`, type: 'function', function: { name, arguments: '' } }] });
  const write = (text: string): void => send({ tool_calls: [{ index: 0, function: { arguments: text } }] });

  if (step === 0) {
    call('enter_space');
    write(JSON.stringify({ spaceId: 'Lobby' }));
  } else if (step === 1) {
    const times: Sent[] = [];
    sent.set(agentId, times);
    call('send_message');
    write('{"text":"');
    for (let from = 0; from < TEXT.length; from += CHUNK) {
      write(TEXT.slice(from, from + CHUNK));
      times.push({ characters: Math.min(from + CHUNK, TEXT.length), at: performance.now() });
      await sleep(PAUSE_MS);
    }
    write('"}');
  } else send({ content: 'Said it.' });
  send({}, step < 2 ? 'tool_calls' : 'stop');
  response.end('data: [DONE]\n\n');
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}
