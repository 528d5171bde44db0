import type { NextFunction, Request, Response } from 'express';

import type { Metrics } from '../metrics/metrics.ts';

/** Counts every request when its answer is over, by the route's pattern: a path with ids in it would be a series each. */
export function countRequests(metrics: Metrics) {
  return (request: Request, response: Response, next: NextFunction): void => {
    response.once('close', () => {
      const { path } = (request.route as { path?: string } | undefined) ?? {};
      metrics.httpRequests.add({
        method: request.method,
        route: path ?? 'other',
        // Nothing sent: the caller went away before there was an answer.
        status: response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : 'none',
      });
    });
    next();
  };
}
