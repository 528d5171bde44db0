import { ApplicationFailure } from '@temporalio/common';

import { AppError, type ErrorCode } from '../src/errors.ts';

// A fault that the same input meets again is not worth another attempt. What is not listed is retried: Postgres away,
// a worker shutting down, a bug that a deploy will mend.
const FINAL = new Set<ErrorCode>(['not-found', 'unknown-model', 'conflict']);

/** Our errors as Temporal sees them; everything else passes as it is, and Temporal retries it. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable: FINAL.has(error.code),
    cause: error,
  });
}
