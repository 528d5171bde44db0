import { APICallError } from 'ai';
import { expect, test, vi } from 'vitest';

import { diagnose, MODEL_ATTEMPTS, toAppError } from '../../src/cycle/model-trouble.ts';

function answered(statusCode: number | undefined, responseHeaders: Record<string, string> = {}): APICallError {
  return new APICallError({
    message: 'no luck',
    url: 'http://model.test/v1',
    requestBodyValues: {},
    responseHeaders,
    ...(statusCode !== undefined && { statusCode }),
  });
}

test.each([400, 401, 403, 404, 405, 413, 422])('an answer %i is final', (status) => {
  expect(diagnose(answered(status), 1)).toEqual({ retry: false, reason: `${status} no luck`, waitMs: 0 });
});

test.each([408, 409, 429, 500, 502, 503, 504, 529])('an answer %i is worth another try', (status) => {
  expect(diagnose(answered(status), 1)).toEqual({ retry: true, reason: `${status} no luck`, waitMs: 2_000 });
});

test('a connection that broke is worth another try', () => {
  expect(diagnose(answered(undefined), 1)).toMatchObject({ retry: true, reason: 'no luck' });
  expect(diagnose(new TypeError('fetch failed'), 1)).toMatchObject({ retry: true, reason: 'fetch failed' });
  expect(diagnose('a word', 1)).toMatchObject({ retry: true, reason: 'a word' });
});

test('an answer that began well and broke off is worth another try', () => {
  const cause = new TypeError('terminated');
  const torn = new APICallError({ message: 'no luck', url: 'u', requestBodyValues: {}, statusCode: 200, cause });
  expect(diagnose(torn, 1)).toEqual({ retry: true, reason: 'the reply broke off: terminated', waitMs: 2_000 });
});

test('an error that came inside a stream is told in the provider’s words', () => {
  expect(diagnose({ message: 'overloaded', type: 'x' }, 1)).toMatchObject({ retry: true, reason: 'overloaded' });
  expect(diagnose({ code: 7 }, 1)).toMatchObject({ retry: true, reason: '{"code":7}' });
});

test('the wait doubles from try to try: 2, 4 and 8 seconds between four of them', () => {
  const waits = Array.from({ length: MODEL_ATTEMPTS - 1 }, (_, index) => diagnose(answered(503), index + 1).waitMs);
  expect(waits).toEqual([2_000, 4_000, 8_000]);
  expect(diagnose(answered(503), 2, 10).waitMs).toBe(20);
});

test.each([
  ['seconds', { 'retry-after': '7' }, 7_000],
  ['a fraction of seconds', { 'retry-after': '0.5' }, 500],
  ['no wait at all', { 'retry-after': '0' }, 0],
  ['a date to come', { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, 30_000],
  ['a date gone by', { 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT' }, 0],
  ['milliseconds, which win', { 'retry-after-ms': '1500', 'retry-after': '7' }, 1_500],
  ['more than we wait', { 'retry-after': '3600' }, 60_000],
  ['nonsense, which counts for nothing', { 'retry-after': 'soon' }, 2_000],
])('Retry-After is honoured: %s', (_what, headers: Record<string, string>, waitMs) => {
  vi.useFakeTimers({ now: new Date('2026-10-21T07:28:00Z'), toFake: ['Date'] });
  try {
    expect(diagnose(answered(429, headers), 1).waitMs).toBe(waitMs);
  } finally {
    vi.useRealTimers();
  }
});

test('the error that leaves the cycle says whether the model refused or was away, and keeps its cause', () => {
  const cause = answered(401);
  expect(toAppError(cause, false)).toMatchObject({ code: 'model-refused', message: '401 no luck', cause });
  expect(toAppError(answered(503), true)).toMatchObject({ code: 'model-unavailable', message: '503 no luck' });
});
