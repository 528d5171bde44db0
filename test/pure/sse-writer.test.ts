import { connect, type AddressInfo, type Socket } from 'node:net';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { createSseWriter, type SseWriter } from '../../src/api/sse-writer.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server whose only answer is a stream, and a reader that begins with the head of it. */
async function open(options: {
  beatMs?: number;
  patienceMs?: number;
}): Promise<{ writer: SseWriter; reader: Socket; text: () => string }> {
  const opened = Promise.withResolvers<SseWriter>();
  const app = express();
  app.get('/', (_request, response) => opened.resolve(createSseWriter(response, options)));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  reader.on('data', (chunk: Buffer) => (text += chunk.toString()));
  reader.on('error', () => undefined);
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const writer = await opened.promise;
  closers.push(() => {
    writer.close();
    reader.destroy();
    server.close();
  });
  return { writer, reader, text: () => text };
}

test('the head of a stream goes out before anything happens', async () => {
  const { text } = await open({});
  await expect.poll(text).toContain('retry: 1000');
  expect(text()).toMatch(/Content-Type: text\/event-stream; charset=utf-8/i);
  expect(text()).toMatch(/X-Accel-Buffering: no/i);
});

test('a quiet stream carries a heartbeat', async () => {
  const { text } = await open({ beatMs: 20 });
  await expect.poll(text).toMatch(/(: beat\n\n[^:]*){2}/);
});

test('a slow reader is waited for and gets everything', async () => {
  const { writer, reader, text } = await open({ patienceMs: 5_000 });
  reader.pause();
  setTimeout(() => reader.resume(), 300);
  for (let frame = 0; frame < 400; frame += 1) await writer.write(`id: ${frame}\ndata: ${'x'.repeat(32_000)}\n\n`);
  expect(writer.isOpen()).toBe(true);
  await expect.poll(text, { timeout: 5_000 }).toContain('id: 399\n');
});

test('a reader that takes nothing is let go after a while', async () => {
  const { writer, reader } = await open({ patienceMs: 100 });
  reader.pause();
  let frames = 0;
  while (writer.isOpen() && frames < 10_000) {
    await writer.write(`data: ${'x'.repeat(32_000)}\n\n`);
    frames += 1;
  }
  expect(writer.isOpen()).toBe(false);
});
