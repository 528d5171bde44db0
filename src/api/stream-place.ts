import type { Request } from 'express';

import { AppError } from '../errors.ts';

/** Where in the log a reader wants to go on. The header wins: a browser that reconnects keeps the address it began with. */
export function readPlace(request: Request, after: number | undefined): number {
  if (request.method === 'HEAD' || !request.accepts('text/event-stream')) {
    throw new AppError('not-acceptable', 'this is a stream of text/event-stream; ask for it with GET');
  }
  const header = request.headers['last-event-id'];
  if (header === undefined) return after ?? 0;
  if (typeof header !== 'string' || !/^(0|[1-9]\d{0,14})$/.test(header)) {
    throw new AppError('malformed-request', 'Last-Event-ID is not an id of this stream');
  }
  return Number(header);
}
