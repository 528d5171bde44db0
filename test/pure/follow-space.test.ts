import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createApiClient } from '../../src/web/api-client.ts';
import { followSpace } from '../../src/web/follow-space.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

/** A server that answers the first connection with the first handler, and so on. */
async function serve(...handlers: Handler[]): Promise<string> {
  let connection = 0;
  const server = createServer((request, response) => {
    const handler = handlers[connection];
    connection += 1;
    if (handler) handler(request, response);
    else response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"detail":"the test is over"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function frame(seq: number, text: string): string {
  const data = JSON.stringify({ draftId: 'one', attempt: 1, offset: 0, text });
  return `id: ${seq}\nevent: message.delta\ndata: ${data}\n\n`;
}

/** Follows until the API refuses, and tells what came on the way. */
async function follow(origin: string) {
  const seen: (string | number)[] = [];
  const texts: string[] = [];
  const controller = new AbortController();
  closers.push(() => controller.abort());
  const end = await followSpace({
    api: createApiClient('secret', () => seen.push('key refused'), origin),
    spaceId: 'lobby',
    signal: controller.signal,
    onConnection: (connection) => seen.push(connection),
    onEvents(events) {
      for (const event of events) {
        seen.push(event.seq);
        if (event.type === 'message.delta') texts.push(event.data.text);
      }
    },
  }).catch((fault: unknown) => String(fault));
  return { seen, texts, end };
}

test('a stream that breaks is resumed behind the last event, with the key', async () => {
  const asked: unknown[] = [];
  const origin = await serve(
    (request, response) => {
      asked.push([request.headers.authorization, request.headers['last-event-id']]);
      response.write(`: hello\n\n${frame(1, 'a')}${frame(2, 'b')}id: 3\nevent: message.delta\ndata: {"half`);
      setTimeout(() => response.destroy(), 50);
    },
    (request, response) => {
      asked.push([request.headers.authorization, request.headers['last-event-id']]);
      response.end(frame(3, 'c'));
    },
  );
  const { seen, end } = await follow(origin);
  expect(asked).toEqual([
    ['Bearer secret', undefined],
    ['Bearer secret', '2'],
  ]);
  expect(seen).toEqual(['live', 1, 2, 'lost', 'live', 3, 'lost']);
  expect(end).toContain('the test is over');
});

test('a letter that is split between two packets arrives whole', async () => {
  const bytes = Buffer.from(frame(1, 'naïve 🦉'));
  const origin = await serve((_request, response) => {
    response.write(bytes.subarray(0, bytes.indexOf('🦉') + 2));
    setTimeout(() => response.end(bytes.subarray(bytes.indexOf('🦉') + 2)), 50);
  });
  expect((await follow(origin)).texts).toEqual(['naïve 🦉']);
});

test('a server that is starting is asked again, a refused key is not', async () => {
  const origin = await serve(
    (_request, response) => void response.writeHead(503).end(),
    (_request, response) => void response.writeHead(401).end('{"detail":"unknown key"}'),
  );
  const { seen, end } = await follow(origin);
  expect(seen).toEqual(['lost', 'key refused']);
  expect(end).toContain('unknown key');
});
