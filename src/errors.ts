/** Every fault a caller can act on. Its code decides the HTTP status (api/error-handler.ts) and retry (activities/failures.ts). */
export type ErrorCode =
  | 'malformed-request'
  | 'invalid-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'idempotency-mismatch'
  | 'not-acceptable'
  | 'method-not-allowed'
  | 'payload-too-large'
  | 'unsupported-media-type'
  | 'agent-not-member'
  | 'no-active-space'
  | 'agent-asleep'
  | 'fenced-off'
  | 'unknown-model'
  | 'model-refused'
  | 'model-unavailable'
  | 'budget-spent'
  | 'too-many-requests'
  | 'unavailable';

export type FieldFault = { path: string; message: string };

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldFault[] | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; fields?: FieldFault[] } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.fields = options.fields;
  }
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** The words of an unknown thing that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
