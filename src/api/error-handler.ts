import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';

import { AppError, errorMessage, type ErrorCode, type FieldFault } from '../errors.ts';

export const STATUS = {
  'malformed-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'agent-not-member': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'agent-asleep': 409,
  'no-active-space': 409,
  'fenced-off': 409,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'invalid-request': 422,
  'idempotency-mismatch': 422,
  'unknown-model': 422,
  'too-many-requests': 429,
  'budget-spent': 402,
  'model-refused': 502,
  'model-unavailable': 503,
  unavailable: 503,
} satisfies Record<ErrorCode, number>;

const TITLE: Record<number, string> = {
  400: 'Malformed request',
  401: 'Key needed',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Invalid request',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'Model refused',
  503: 'Not available',
};

// A client that waits this long finds a restarted Postgres or Temporal back.
const RETRY_AFTER_SECONDS = 2;

export type Problem = {
  title: string;
  status: number;
  detail: string;
  code: ErrorCode | 'internal';
  requestId: string;
  errors?: FieldFault[];
};

/** The last middleware: whatever was thrown becomes problem+json. What we did not foresee is logged and not shown. */
export function errorHandler(log: Logger) {
  return (thrown: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) {
      next(thrown); // too late for an answer: Express cuts the connection, and the reader sees that it was cut
      return;
    }
    const error = toAppError(thrown);
    const requestId = String(response.getHeader('X-Request-Id') ?? '');
    if (error === undefined)
      log.error({ err: thrown, requestId, method: request.method, path: request.path }, 'a request failed');
    else if (error.code === 'unavailable')
      log.warn({ requestId, error: errorMessage(thrown) }, 'a request was turned away');
    sendProblem(response, error, requestId);
  };
}

function sendProblem(response: Response, error: AppError | undefined, requestId: string): void {
  const status = error === undefined ? 500 : STATUS[error.code];
  response.set('Cache-Control', 'no-store');
  if (status === 401) response.set('WWW-Authenticate', 'Bearer');
  if (status === 503 || status === 429) response.set('Retry-After', String(RETRY_AFTER_SECONDS));
  if (status === 413) response.set('Connection', 'close');
  const problem: Problem = {
    title: TITLE[status] ?? 'Error',
    status,
    detail: error?.message ?? `something unexpected went wrong; the server's log has it under request ${requestId}`,
    code: error?.code ?? 'internal',
    requestId,
    ...(error?.fields !== undefined && { errors: error.fields }),
  };
  response.status(status).type('application/problem+json').send(JSON.stringify(problem));
}

/** Undefined for a fault that is ours. */
function toAppError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof ServiceError || isGrpcServiceError(thrown)) {
    return new AppError('unavailable', 'Temporal does not answer; try again', { cause: thrown });
  }
  if (isConnectionLoss(thrown))
    return new AppError('unavailable', 'Postgres does not answer; try again', { cause: thrown });
  // Express and its static files throw errors that carry a status, such as for a path that is not percent-encoded.
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
  if (status === 404) return new AppError('not-found', 'there is nothing at this path', { cause: thrown });
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('malformed-request', 'the request cannot be read', { cause: thrown });
  }
  return undefined;
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
// Connection trouble, too many clients, shutting down or starting up; and a deadlock's victim, who may simply try again.
const POSTGRES_CODES = /^(08...|53300|57P0[1-5]|40001|40P01)$/;
// pg gives these no code.
const POSTGRES_WORDS =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|cannot use a pool after/i;

function isConnectionLoss(thrown: unknown): boolean {
  if (thrown instanceof AggregateError) return thrown.errors.some(isConnectionLoss);
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return NETWORK_CODES.has(code) || POSTGRES_CODES.test(code) || POSTGRES_WORDS.test(thrown.message);
}
