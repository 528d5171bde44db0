import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';

import type { Config } from './config.ts';
import { armCrashPoint } from './cycle/crash-point.ts';
import { openDatabase, type Database, type Db } from './db/open-database.ts';
import { errorMessage } from './errors.ts';
import { createDispatcher, type Dispatcher } from './inbox/dispatcher.ts';
import { createPlanner, type Planner } from './plans/planner.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createModels, type Models } from './models/models.ts';
import { createEmbedder, type Embedder } from './recall/embedder.ts';
import { registerSearchAttributes } from './stack/register-search-attributes.ts';
import { createEventWriter, type EventWriter } from './stream/event-writer.ts';
import { openSpaceFeed, type SpaceFeed } from './stream/space-feed.ts';
import { openTracing, type Tracing } from './tracing/tracing.ts';

/** What the API and the worker both stand on. Whoever opens it closes it. */
export type Runtime = {
  config: Config;
  temporalAddress: string;
  log: Logger;
  database: Database;
  db: Db;
  client: Client;
  dispatcher: Dispatcher;
  planner: Planner;
  writer: EventWriter;
  feed: SpaceFeed;
  models: Models;
  embedder: Embedder;
  metrics: Metrics;
  tracing: Tracing;
  close(): Promise<void>;
};

export async function openRuntime(options: {
  config: Config;
  databaseUrl: string;
  temporalAddress: string;
  log: Logger;
  /** Other models than the configuration's: the tests' scripted ones. */
  models?: Models;
}): Promise<Runtime> {
  const { config, log } = options;
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    armCrashPoint(config.crashPoint);
    const tracing = await openTracing(config, log);
    closers.push(() => tracing.close());
    const database = openDatabase(options.databaseUrl, {
      onError: (error) =>
        log.warn({ error: error.message }, 'a Postgres connection broke; the next query opens another'),
    });
    closers.push(() => database.close());
    const { db } = database;

    const { apiKey, tls, namespace } = config.temporal;
    const connection = await Connection.connect({
      address: options.temporalAddress,
      ...(apiKey !== undefined && { apiKey }),
      ...(tls !== undefined && { tls }),
    });
    closers.push(() => connection.close());
    await registerSearchAttributes(connection, namespace);
    const client = new Client({ connection, namespace });

    const feed = await openSpaceFeed(options.databaseUrl, (error) =>
      log.warn({ error: errorMessage(error) }, 'the listening connection broke; readers poll until it is back'),
    );
    closers.push(() => feed.close());
    const writer = createEventWriter(db, (error) =>
      log.warn({ error: errorMessage(error) }, 'live events could not be written; trying again'),
    );
    const dispatcher = createDispatcher({ db, client, taskQueue: config.taskQueue, log });
    closers.push(() => dispatcher.close());
    const ring = (agentIds: string[]): void => dispatcher.ring(agentIds);
    const planner = createPlanner({ db, client, taskQueue: config.taskQueue, log, ring });
    closers.push(() => planner.close());
    const embedder = createEmbedder(config);
    closers.push(() => embedder.close());
    const models = options.models ?? createModels(config);
    return {
      config,
      temporalAddress: options.temporalAddress,
      log,
      database,
      db,
      client,
      dispatcher,
      planner,
      writer,
      feed,
      models,
      embedder,
      metrics: createMetrics(),
      tracing,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
