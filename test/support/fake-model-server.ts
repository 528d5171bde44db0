import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { deltasOf, finishOf, hashOf, usageOf, type FakeReply, type Fault } from './fake-model-reply.ts';

export { createGate, type FakePart, type FakeReply, type Fault, type Gate } from './fake-model-reply.ts';

export type ChatMessage = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};

export type ChatRequest = {
  model: string;
  messages: ChatMessage[];
  tools?: { function: { name: string; description?: string; parameters: object } }[];
  stream?: boolean;
};

/** What the model says to a request. Depends on the prompt alone, unless `repeat` is used to let the first tries fail. */
export type Script = (request: ChatRequest, repeat: number) => FakeReply;

export type RecordedRequest = {
  body: ChatRequest;
  headers: IncomingMessage['headers'];
  at: number;
  /** How often the very same prompt had been asked before. */
  repeat: number;
  state: 'open' | 'answered' | 'failed' | 'closed by the client';
};

export type FakeModelServer = {
  /** For WAKEFUL_COMPATIBLE_URL. */
  url: string;
  requests: RecordedRequest[];
  /** Another script from now on. */
  play(script: Script): void;
  close(): Promise<void>;
};

/** A chat-completions server that plays a script, so that the real provider code runs, faults and all. */
export async function startFakeModelServer(script: Script): Promise<FakeModelServer> {
  const requests: RecordedRequest[] = [];
  let playing = script;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      // A script that throws must be seen in the test's output, not waited for.
      if (!response.headersSent) response.writeHead(418, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `the test's script failed: ${String(error)}` } }));
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `no ${request.method} ${request.url} here` } }));
      return;
    }
    const body = JSON.parse(await textOf(request)) as ChatRequest;
    const name = hashOf([body.model, body.messages]);
    const repeat = requests.filter((earlier) => hashOf([earlier.body.model, earlier.body.messages]) === name).length;
    const recorded: RecordedRequest = { body, headers: request.headers, at: Date.now(), repeat, state: 'open' };
    requests.push(recorded);
    response.on('close', () => {
      if (recorded.state === 'open') recorded.state = response.writableFinished ? 'answered' : 'closed by the client';
    });
    const reply = playing(body, repeat);
    if (reply.fault !== undefined) recorded.state = 'failed';
    if (reply.fault?.kind === 'status') refuse(response, reply.fault);
    else if (body.stream === true) await stream(response, body, reply, name);
    else await answerWhole(response, body, reply, name);
  };

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    play(next) {
      playing = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(
  response: ServerResponse,
  fault: { status: number; headers?: Record<string, string>; message?: string },
): void {
  response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
  response.end(
    JSON.stringify({ error: { message: fault.message ?? `refused with ${fault.status}`, type: 'fake_error' } }),
  );
}

async function stream(response: ServerResponse, body: ChatRequest, reply: FakeReply, name: string): Promise<void> {
  const { fault, gate, pauseMs = 0 } = reply;
  const deltas = deltasOf(reply, name);
  const middle = Math.floor(deltas.length / 2);
  const gateAt = reply.gateAt ?? middle;
  const faultAt = fault === undefined || fault.kind === 'status' ? undefined : (fault.after ?? middle);
  const head = { id: `chatcmpl-${name}`, object: 'chat.completion.chunk', created: 0, model: body.model };
  const send = (chunk: object): unknown => response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);

  for (const [index, delta] of deltas.entries()) {
    if (index === faultAt && !(await goOnAfter(fault!, response))) return;
    if (index === gateAt) await gate?.pass();
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
    // Also without a pause each chunk travels alone: a reader that only works on whole replies should show it.
    await sleep(pauseMs);
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(reply) }] });
  send({ choices: [], usage: usageOf(body.messages, reply) });
  response.end('data: [DONE]\n\n');
}

/** Lets the fault happen; true when the reply goes on behind it. */
async function goOnAfter(fault: Fault, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return false;
    case 'stall':
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      await new Promise((resolve) => response.once('close', resolve));
      return false;
    case 'truncate':
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end();
      return false;
    case 'error':
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ error: { message: fault.message, type: 'fake_error' } })}\n\n`);
      return false;
    default:
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":\n\n');
      return true;
  }
}

async function answerWhole(response: ServerResponse, body: ChatRequest, reply: FakeReply, name: string): Promise<void> {
  const deltas = deltasOf({ ...reply, chunkSize: 1_000_000 }, name);
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
  await reply.gate?.pass();
  const tool_calls = calls.flatMap((call, index) => {
    if (call.id === undefined) return [];
    return [
      {
        id: call.id,
        type: 'function',
        function: { name: call.function.name, arguments: calls[index + 1]?.function.arguments ?? '' },
      },
    ];
  });
  const content = deltas.map((delta) => delta.content ?? '').join('');
  const message = { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: `chatcmpl-${name}`,
      object: 'chat.completion',
      created: 0,
      model: body.model,
      choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
      usage: usageOf(body.messages, reply),
    }),
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}
