import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { freePort } from './free-port.ts';
import { startProcess } from './managed-process.ts';
import type { ManagedProcess } from './managed-process.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';
import { stopOrphan } from './stop-orphan.ts';

const HOST = '127.0.0.1';
const USUAL_PORTS = { server: 7233, ui: 8233 };
const START_PATIENCE_MILLISECONDS = 60_000;

interface TemporalOptions {
  binary: string;
  dataDir: string;
  progress: Progress;
  namespace?: string;
  /** Where to listen if nobody else does; a server that is started again goes back to where it was. */
  ports?: { server: number; ui: number };
  /** Without a file: quicker, gone when it stops, no Web UI, any port. For tests. */
  inMemory?: boolean;
}

export interface StartedTemporal {
  address: string;
  uiUrl: string | undefined;
  ports: { server: number; ui: number };
  pid: number;
  /** Settles when the server has ended, wanted or not. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the Temporal development server on this data folder and waits until it can take workflows. One that ends at
 * once gets a second chance on other ports: between our look at a port and its listening somebody else may take it.
 */
export async function startTemporal(options: TemporalOptions): Promise<StartedTemporal> {
  try {
    return await startOnce(options);
  } catch (error) {
    if (!(error instanceof EndedEarly)) throw error;
    options.progress('Temporal ended at once; trying again on other ports');
    return startOnce({ ...options, ports: { server: 0, ui: 0 } });
  }
}

class EndedEarly extends StackError {}

async function startOnce(options: TemporalOptions): Promise<StartedTemporal> {
  const { binary, dataDir, progress, namespace = 'default', ports = USUAL_PORTS, inMemory = false } = options;
  await mkdir(dataDir, { recursive: true });
  const pidFile = join(dataDir, 'temporal.pid');
  await stopEarlierOne(pidFile, dataDir, progress);

  const port = await freePort(HOST, inMemory ? 0 : ports.server);
  const uiPort = inMemory ? undefined : await freePort(HOST, ports.ui);
  const wanted = !inMemory && ports.server !== 0;
  if (wanted && port !== ports.server) progress(`port ${ports.server} is busy, Temporal takes ${port}`);
  if (wanted && uiPort !== ports.ui) progress(`port ${ports.ui} is busy, the Temporal Web UI takes ${uiPort}`);
  progress('starting Temporal');
  const server = await startProcess({
    program: binary,
    args: serverArguments({ port, uiPort, namespace, dataDir, inMemory }),
    logFile: join(dataDir, 'temporal.log'),
    stopSignal: 'SIGTERM',
    forceSignal: 'SIGKILL',
    graceMilliseconds: 5_000,
  });
  writeFileSync(pidFile, String(server.pid));

  const address = `${HOST}:${port}`;
  await untilHealthy(server, address, namespace);
  // It makes the file readable to everybody; histories are not for other users of the machine.
  if (!inMemory) await chmod(databaseFile(dataDir), 0o600);
  return {
    address,
    uiUrl: uiPort === undefined ? undefined : `http://${HOST}:${uiPort}`,
    ports: { server: port, ui: uiPort ?? 0 },
    pid: server.pid,
    ended: server.ended,
    stop: async () => {
      await server.stop();
      await rm(pidFile, { force: true });
    },
  };
}

interface ServerArguments {
  port: number;
  uiPort: number | undefined;
  namespace: string;
  dataDir: string;
  inMemory: boolean;
}

function serverArguments({ port, uiPort, namespace, dataDir, inMemory }: ServerArguments): string[] {
  // Write-ahead log and normal syncing: 2.4 times the throughput of the default, and still safe against a killed process.
  const pragmas = ['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'];
  return [
    'server',
    'start-dev',
    '--ip',
    HOST,
    '--port',
    String(port),
    '--log-level',
    'error',
    '--namespace',
    namespace,
    ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', HOST, '--ui-port', String(uiPort)]),
    ...(inMemory ? [] : ['--db-filename', databaseFile(dataDir), ...pragmas]),
  ];
}

function databaseFile(dataDir: string): string {
  return join(dataDir, 'temporal.db');
}

async function stopEarlierOne(pidFile: string, dataDir: string, progress: Progress): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  const mark = databaseFile(dataDir);
  await stopOrphan({ name: 'Temporal', pid, mark, stopSignal: 'SIGTERM', forceSignal: 'SIGKILL', progress });
  await rm(pidFile, { force: true });
}

async function untilHealthy(server: ManagedProcess, address: string, namespace: string): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MILLISECONDS;
  let fault: string | undefined;
  void server.ended.then((how) => (fault = `ended ${how}`));
  while (!(await isHealthy(address, namespace))) {
    if (Date.now() > deadline) fault = `did not answer on ${address} within ${START_PATIENCE_MILLISECONDS / 1000} s`;
    if (fault !== undefined) {
      await server.stop();
      const Fault = fault.startsWith('ended') ? EndedEarly : StackError;
      throw new Fault(
        `The Temporal server ${fault}; set TEMPORAL_ADDRESS to use another one. Its last words:\n${server.lastLines()}`,
      );
    }
    await sleep(50);
  }
}

// The dev server opens its port before it has made the namespace, so a connection alone proves too little.
async function isHealthy(address: string, namespace: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 1_000 });
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
