import express, { type Express, type NextFunction, type Request, type Response } from 'express';

import { newId } from '../db/id.ts';
import { AppError, errorMessage } from '../errors.ts';
import { forgetOldRepeats } from '../keys/repeats.ts';
import type { Runtime } from '../runtime.ts';
import { consoleRoutes } from './console.ts';
import { countRequests } from './count-requests.ts';
import { errorHandler } from './error-handler.ts';
import { handleRequest } from './handle-request.ts';
import { createOpenStreams, type OpenStreams } from './open-streams.ts';
import type { Method, Route } from './route.ts';
import { ROUTES } from './routes/index.ts';

const FORGET_EVERY_MS = 3_600_000;

export type AppOptions = { streams?: OpenStreams; consoleFolder?: string | undefined };

/** The HTTP API over a runtime: the table of routes, the console page, and problem+json for everything else. */
export function createApp(runtime: Runtime, options: AppOptions = {}): Express {
  const streams = options.streams ?? createOpenStreams();
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.set('query parser', 'simple');

  app.use(countRequests(runtime.metrics), nameRequest, checkAddress, forgetNowAndThen(runtime));
  mount(app, ROUTES, (route, request, response) => handleRequest(runtime, streams, route, request, response));
  app.use(consoleRoutes(options.consoleFolder));
  app.use(() => {
    throw new AppError('not-found', 'there is nothing at this path; /docs lists what there is');
  });
  app.use(errorHandler(runtime.log));
  refuseUndeclared(app, ROUTES);
  return app;
}

type Serve = (route: Route, request: Request, response: Response) => Promise<void>;

function mount(app: Express, routes: readonly Route[], serve: Serve): void {
  for (const [path, atPath] of Map.groupBy(routes, (route) => route.path)) {
    const place = app.route(path);
    for (const route of atPath) place[route.method]((request, response) => serve(route, request, response));
    const allowed = allowedMethods(atPath.map((route) => route.method));
    place.all((request, response) => {
      response.set('Allow', allowed);
      throw new AppError('method-not-allowed', `${request.method} is not possible here; ${allowed} is`);
    });
  }
}

function allowedMethods(methods: Method[]): string {
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');
}

/** A route mounted past the table would have no declared access; the process does not start with one. */
export function refuseUndeclared(app: Express, routes: readonly Route[]): void {
  const declared = new Set(routes.map((route) => route.path));
  for (const layer of app.router.stack) {
    if (layer.route === undefined || declared.has(layer.route.path)) continue;
    throw new Error(`${layer.route.path} is served but not in the table of routes; declare it in src/api/routes`);
  }
}

function nameRequest(_request: Request, response: Response, next: NextFunction): void {
  response.set({ 'X-Request-Id': newId(), 'X-Content-Type-Options': 'nosniff' });
  next();
}

// Express checks only what it matches; `%zz` in a query would be taken literally, and U+0000 reach a handler.
function checkAddress(request: Request, _response: Response, next: NextFunction): void {
  try {
    decodeURIComponent(request.url);
  } catch (cause) {
    throw new AppError('malformed-request', 'the address is not percent-encoded UTF-8', { cause });
  }
  next();
}

/** Idempotency keys are kept for a day; an hourly look behind some request is enough to drop the older ones. */
function forgetNowAndThen(runtime: Runtime) {
  let forgottenAt = 0;
  return (_request: Request, _response: Response, next: NextFunction): void => {
    if (Date.now() - forgottenAt > FORGET_EVERY_MS) {
      forgottenAt = Date.now();
      void forgetOldRepeats(runtime.db).catch((error: unknown) =>
        runtime.log.warn(
          { error: errorMessage(error) },
          'old idempotency keys could not be dropped; next try in an hour',
        ),
      );
    }
    next();
  };
}
