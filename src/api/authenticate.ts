import { timingSafeEqual } from 'node:crypto';

import type { Request } from 'express';

import { AppError } from '../errors.ts';
import { findKey } from '../keys/find-key.ts';
import { hashKey } from '../keys/hash-key.ts';
import type { Runtime } from '../runtime.ts';
import { ROOT, type Caller } from './caller.ts';
import type { Access } from './route.ts';

const BEARER = /^Bearer +([\x21-\x7e]{16,512})$/i;

/** Asked of Postgres for every request, never of a cache: a revoked key is refused from its next request on. */
export async function authenticate(runtime: Runtime, request: Request): Promise<Caller> {
  const key = bearerKey(request);
  if (key === undefined) throw new AppError('unauthenticated', 'send a key in the header Authorization: Bearer <key>');
  const { rootKey } = runtime.config;
  if (rootKey !== undefined && timingSafeEqual(hashKey(key), hashKey(rootKey))) return ROOT;
  const found = await findKey(runtime.db, hashKey(key));
  if (found === undefined) throw new AppError('unauthenticated', 'this key is unknown or was revoked');
  return found;
}

/** The key as it was sent. Two Authorization headers are none: a proxy and we might read different ones. */
export function bearerKey(request: Request): string | undefined {
  const headers = request.headersDistinct['authorization'] ?? [];
  return headers.length === 1 ? BEARER.exec(headers[0]!)?.[1] : undefined;
}

export function checkAccess(access: Exclude<Access, 'anyone'>, caller: Caller): void {
  if (access === 'root') {
    if (caller.role !== 'root') throw new AppError('forbidden', 'only WAKEFUL_ROOT_KEY may do this');
  } else if (caller.role === 'root') {
    throw new AppError('forbidden', 'the root key only creates organisations; use the admin key of one');
  } else if (access === 'admin' && caller.role !== 'admin') {
    throw new AppError(
      'forbidden',
      'this needs an admin key; the key of an entity only reads and writes its own spaces',
    );
  }
}
