import { APICallError } from 'ai';

import { AppError, errorMessage } from '../errors.ts';

// Attempts, not retries: four tries with 2, 4 and 8 seconds between them.
export const MODEL_ATTEMPTS = 4;
const BASE_MS = 2_000;
// A provider that asks for more than this is better met by the cycle's own backoff.
const LONGEST_WAIT_MS = 60_000;

// Of the answers below 500 only these are about the moment, not about the request.
const PASSING = new Set([408, 409, 429]);

export type Trouble = { retry: boolean; reason: string; waitMs: number };

/** What a failed model call means: worth another try, after how long, and in which words to tell people. */
export function diagnose(error: unknown, attempt: number, baseMs = BASE_MS): Trouble {
  const reason = describe(error);
  const backoff = baseMs * 2 ** (attempt - 1);
  if (!APICallError.isInstance(error)) return { retry: true, reason, waitMs: backoff };
  if (isFinal(error.statusCode)) return { retry: false, reason, waitMs: 0 };
  const asked = retryAfter(error.responseHeaders);
  return { retry: true, reason, waitMs: Math.min(asked ?? backoff, LONGEST_WAIT_MS) };
}

export function toAppError(error: unknown, retry: boolean): AppError {
  return new AppError(retry ? 'model-unavailable' : 'model-refused', describe(error), { cause: error });
}

function describe(error: unknown): string {
  if (!APICallError.isInstance(error)) return wordsOf(error);
  const { statusCode: status } = error;
  if (isSuccess(status)) return `the reply broke off: ${errorMessage(error.cause ?? error)}`;
  return `${status ?? ''} ${error.message}`.trim();
}

function isFinal(status: number | undefined): boolean {
  return status !== undefined && !isSuccess(status) && status < 500 && !PASSING.has(status);
}

/** The SDK reports a stream that breaks as an error of the answer it belongs to, which began well. */
function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** An error that comes inside a stream is the provider's own JSON, not an Error. */
function wordsOf(error: unknown): string {
  if (error instanceof Error || typeof error !== 'object' || error === null) return errorMessage(error);
  return 'message' in error && typeof error.message === 'string' ? error.message : JSON.stringify(error);
}

/** Seconds or an HTTP date, as the header allows both. */
function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const precise = Number(headers?.['retry-after-ms']);
  if (precise > 0) return precise;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
