import type { Request, Response } from 'express';
import { z } from 'zod';

import { isId } from '../db/id.ts';
import { AppError, errorMessage } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { authenticate, checkAccess } from './authenticate.ts';
import { ROOT, type Caller } from './caller.ts';
import { unstorableStrings } from './check-json.ts';
import { answerOnce, type Answer } from './idempotency.ts';
import type { OpenStreams } from './open-streams.ts';
import { parseInput } from './parse-input.ts';
import { readBody } from './read-body.ts';
import { isIdName, type Route } from './route.ts';

const NOTHING = z.strictObject({});

/** One request of a declared route: who asks, what they ask, then the handler. Nothing is read of a body before the key is known. */
export async function handleRequest(
  runtime: Runtime,
  streams: OpenStreams,
  route: Route,
  request: Request,
  response: Response,
): Promise<void> {
  response.set('Cache-Control', 'no-store');
  const caller = route.access === 'anyone' ? undefined : await authenticate(runtime, request);
  if (route.access !== 'anyone') checkAccess(route.access, caller!);
  const params = readParams(request);
  const query = readQuery(route, request);
  const input = { runtime, caller, params, query };

  switch (route.run.kind) {
    case 'raw':
      return route.run.handle({ ...input, request, response, streams });
    case 'read': {
      const answer = await route.run.handle({ ...input, db: runtime.db });
      response.status(route.status).type('application/json').send(JSON.stringify(answer));
      return;
    }
    case 'write': {
      const body = await readGiven(route, request);
      send(response, await change(route.run, { ...input, route, request, body, caller: caller ?? ROOT }));
      return;
    }
    default:
      route.run satisfies never;
  }
}

async function change(
  run: Extract<Route['run'], { kind: 'write' }>,
  input: {
    runtime: Runtime;
    route: Route;
    request: Request;
    caller: Caller;
    params: unknown;
    query: unknown;
    body: unknown;
  },
): Promise<Answer> {
  const { runtime } = input;
  const committed: (() => void | Promise<void>)[] = [];
  const answer = await runtime.db
    .transaction()
    .execute((trx) =>
      answerOnce(trx, input, () => run.handle({ ...input, trx, afterCommit: (work) => committed.push(work) })),
    );
  for (const work of committed) {
    // The change is made whatever happens here; a 5xx would tell the caller otherwise.
    try {
      await work();
    } catch (error) {
      runtime.log.warn({ error: errorMessage(error), path: input.request.path }, 'what follows a change failed');
    }
  }
  return answer;
}

function send(response: Response, answer: Answer): void {
  if (answer.replayed) response.set('Idempotent-Replayed', 'true');
  response.status(answer.status);
  if (answer.status === 204) response.end();
  else response.type('application/json').send(answer.json);
}

function readParams(request: Request): Record<string, string> {
  const params = request.params as Record<string, string>;
  for (const [name, value] of Object.entries(params)) {
    if (isIdName(name) && !isId(value))
      throw new AppError('not-found', `there is no ${name.replace(/Id$/, '')} ${value.slice(0, 50).toWellFormed()}`);
  }
  const fields = unstorableStrings(params);
  if (fields.length > 0) throw new AppError('invalid-request', 'the path is not what this call takes', { fields });
  return params;
}

function readQuery(route: Route, request: Request): unknown {
  const given = { ...request.query };
  const fields = unstorableStrings(given);
  if (fields.length > 0) throw new AppError('invalid-request', 'the query is not what this call takes', { fields });
  const query = parseInput(route.query ?? NOTHING, given, 'query');
  return route.query === undefined ? undefined : query;
}

async function readGiven(route: Route, request: Request): Promise<unknown> {
  const body = await readBody(request);
  if (route.body === undefined) {
    if (body !== undefined) parseInput(NOTHING, body, 'body');
    return undefined;
  }
  if (body === undefined) {
    if (request.headers['content-type'] === undefined) {
      throw new AppError('unsupported-media-type', 'send JSON, with Content-Type: application/json');
    }
    throw new AppError('malformed-request', 'the body is empty; send JSON');
  }
  return parseInput(route.body, body, 'body');
}
