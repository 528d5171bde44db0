import { createHash } from 'node:crypto';

import type { Request } from 'express';

import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';
import { claimRepeat, keepAnswer } from '../keys/repeats.ts';
import { bearerKey } from './authenticate.ts';
import type { Caller } from './caller.ts';
import type { Route } from './route.ts';
import { openAnswer, sealAnswer } from './seal-answer.ts';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** The answer as JSON text: a repeated request gets the same bytes. */
export type Answer = { status: number; json: string; replayed: boolean };

/** Runs the change, or gives back what it answered when this caller asked for the very same before. */
export async function answerOnce(
  trx: Trx,
  input: { route: Route; request: Request; caller: Caller; body: unknown },
  change: () => Promise<unknown>,
): Promise<Answer> {
  const { route, request, caller } = input;
  const key = idempotencyKey(request);
  if (key === undefined || route.method !== 'post')
    return { status: route.status, json: toJson(await change()), replayed: false };

  const repeat = { orgId: caller.orgId, caller: caller.keyId, key };
  const earlier = await claimRepeat(trx, repeat, requestHash(request, input.body));
  if (earlier !== undefined) {
    const json = route.secret ? openAnswer(earlier.answer, bearerKey(request)!, key) : earlier.answer;
    if (json === undefined)
      throw new AppError('idempotency-mismatch', 'this Idempotency-Key was used under another root key');
    return { status: earlier.status, json, replayed: true };
  }
  const json = toJson(await change());
  const kept = route.secret ? sealAnswer(json, bearerKey(request)!, key) : json;
  await keepAnswer(trx, repeat, { status: route.status, answer: kept });
  return { status: route.status, json, replayed: false };
}

function idempotencyKey(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    throw new AppError('malformed-request', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return key;
}

// The body as it was understood: a client that writes the same fields with other spaces asks for the same thing.
function requestHash(request: Request, body: unknown): Buffer {
  const parts = [request.method, request.path, JSON.stringify(body ?? null)];
  return createHash('sha256').update(parts.join('\n')).digest();
}

function toJson(answer: unknown): string {
  return answer === undefined ? '' : JSON.stringify(answer);
}
