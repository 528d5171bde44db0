import { ConfigError, defaultModel, readConfig } from './config.ts';
import { migrateAt } from './db/migrate.ts';
import { ensureAdminKey, seedDemo } from './demo.ts';
import { createLog } from './log.ts';
import { openRuntime } from './runtime.ts';
import { startServer } from './server.ts';
import { banner } from './stack/banner.ts';
import { Closers } from './stack/closers.ts';
import { openStack } from './stack/open-stack.ts';
import { StackError } from './stack/stack-error.ts';
import { stopOnSignals } from './stack/stop-on-signals.ts';
import { installTemporalLogging } from './stack/temporal-logging.ts';
import { startWorker } from './worker.ts';

/** `npm start`: the whole of Wakeful in one process, on servers of its own unless others are named. */
async function main(): Promise<void> {
  const closers = new Closers();
  const stop = stopOnSignals({ close: () => closers.close(), say });
  try {
    await start(closers);
  } catch (error) {
    if (stop.requested()) return; // the stop took away what the start was about to use, and it ends the process itself
    await closers.close().catch(() => undefined); // the fault that broke the start is the one to show
    console.error(explain(error));
    process.exit(1);
  }
}

async function start(closers: Closers): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  installTemporalLogging(log);

  const stack = await openStack(config, say);
  closers.push(() => stack.close());
  const giveUp = async (sentence: string): Promise<void> => {
    console.error(sentence);
    await closers.close().catch(() => undefined); // the sentence above names the cause
    process.exit(1);
  };
  void stack.broken.then(giveUp);

  say('preparing the database');
  await migrateAt(stack.databaseUrl);

  say('starting worker and API');
  const runtime = await openRuntime({
    config,
    databaseUrl: stack.databaseUrl,
    temporalAddress: stack.temporal.address,
    log,
  });
  closers.push(() => runtime.close());
  const worker = await startWorker(runtime);
  closers.push(() => worker.stop());
  worker.done.catch((error: unknown) => giveUp(`The worker ended: ${String(error)}; start Wakeful again.`));
  const server = await startServer(runtime);
  closers.push(() => server.close());

  const { apiKey } = await ensureAdminKey(runtime);
  const demo = await seedDemo(runtime);
  say('ready');
  console.log(
    banner({
      url: server.url,
      temporalUi: stack.temporal.uiUrl,
      dataDir: config.dataDir,
      model: defaultModel(config),
      apiKey,
      demo,
    }),
  );
}

function say(line: string): void {
  console.log(`${process.uptime().toFixed(1).padStart(6)} s  ${line}`);
}

// A fault we foresaw is a sentence; one we did not keeps its stack, for the report.
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StackError) return error.message;
  return `Wakeful could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

await main();
