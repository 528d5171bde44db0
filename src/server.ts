import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createApp } from './api/app.ts';
import { answerBadRequest } from './api/bad-request.ts';
import { drainable } from './api/drain-server.ts';
import { createOpenStreams } from './api/open-streams.ts';
import { ConfigError, readConfig } from './config.ts';
import { migrateAt } from './db/migrate.ts';
import { ensureAdminKey, seedDemo } from './demo.ts';
import { createLog } from './log.ts';
import { openRuntime, type Runtime } from './runtime.ts';
import { Closers } from './stack/closers.ts';
import { StackError } from './stack/stack-error.ts';
import { stopOnSignals } from './stack/stop-on-signals.ts';
import { ensureConsole } from './web/build.ts';

const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than a load balancer keeps an idle connection, so that it is never us who cut one it is about to use.
  keepAliveTimeout: 65_000,
};
// Requests under way get this long to finish when the server stops.
const GRACE_MS = 5_000;

export type StartedServer = { url: string; close(): Promise<void> };

/** Serves the API and, unless told otherwise, the console page, until closed. */
export async function startServer(runtime: Runtime, options: { withConsole?: boolean } = {}): Promise<StartedServer> {
  const { host, port } = runtime.config;
  const streams = createOpenStreams();
  const consoleFolder = options.withConsole === false ? undefined : await ensureConsole();
  const server = createServer(TIMEOUTS, createApp(runtime, { streams, consoleFolder }));
  const drain = drainable(server, GRACE_MS);
  server.on('clientError', answerBadRequest);
  await listen(server, host, port);
  return {
    url: urlOf(host, (server.address() as AddressInfo).port),
    async close() {
      const closed = drain();
      streams.endAll();
      await closed;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `port ${port} on ${host} is in use; stop the other program or set PORT to another port`;
      reject(error.code === 'EADDRINUSE' ? new StackError(inUse, { cause: error }) : error);
    });
    server.listen(port, host, () => resolve());
  });
}

function urlOf(host: string, port: number): string {
  // 0.0.0.0 and :: are where we listen, not where anyone can go.
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** `npm run server`: the API role alone, beside workers that run elsewhere. */
async function main(): Promise<void> {
  const closers = new Closers();
  const config = readConfig();
  const log = createLog(config.logLevel);
  const { databaseUrl } = config;
  const temporalAddress = config.temporal.address;
  if (databaseUrl === undefined || temporalAddress === undefined) {
    throw new StackError('The API alone needs DATABASE_URL and TEMPORAL_ADDRESS; `npm start` brings its own servers.');
  }
  stopOnSignals({ close: () => closers.close(), say: (line) => log.info(line) });

  await migrateAt(databaseUrl);
  const runtime = await openRuntime({ config, databaseUrl, temporalAddress, log });
  closers.push(() => runtime.close());
  // Several API processes share one database: none of them makes a key of its own.
  if (config.apiKey !== undefined) {
    await ensureAdminKey(runtime);
    await seedDemo(runtime);
  }
  const server = await startServer(runtime);
  closers.push(() => server.close());
  log.info({ url: server.url }, 'the API is up');
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    const foreseen = error instanceof ConfigError || error instanceof StackError;
    console.error(foreseen ? error.message : error);
    process.exit(1);
  }
}
