import type { Socket } from 'node:net';

import { newId } from '../db/id.ts';
import type { Problem } from './error-handler.ts';

const STATUS_LINE: Record<string, [status: number, phrase: string, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the headers are too large'],
};

/** What is no HTTP never reaches Express; it gets the same kind of answer, and the connection ends. */
export function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, detail] = STATUS_LINE[error.code ?? ''] ?? [400, 'Bad Request', 'this is not an HTTP request'];
  const problem: Problem = { title: phrase, status, detail, code: 'malformed-request', requestId: newId() };
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
