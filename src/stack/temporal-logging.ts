import { Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';
import type { Log } from '../log.ts';

const PINO_LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

let installed = false;

/** Sends what Temporal's worker and its native core have to say into our log, warnings and worse only. */
export function installTemporalLogging(log: Log): void {
  if (installed) return; // the runtime is one per process and cannot be installed twice
  installed = true;
  Runtime.install({
    logger: temporalLogger(log.child({ part: 'temporal' })),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    // The run files decide when to stop, and in which order.
    shutdownSignals: [],
  });
}

function temporalLogger(log: Log): Logger {
  const write = (level: LogLevel, message: string, metadata?: LogMetadata): void => {
    if (level === 'WARN' || level === 'ERROR') log[PINO_LEVELS[level]](fieldsOf(metadata), message);
  };
  return {
    log: write,
    trace: (message, metadata) => write('TRACE', message, metadata),
    debug: (message, metadata) => write('DEBUG', message, metadata),
    info: (message, metadata) => write('INFO', message, metadata),
    warn: (message, metadata) => write('WARN', message, metadata),
    error: (message, metadata) => write('ERROR', message, metadata),
  };
}

// Pino prints an error in full under the name `err`.
function fieldsOf(metadata: LogMetadata | undefined): Record<string, unknown> {
  const { error, ...fields } = metadata ?? {};
  return error === undefined ? fields : { ...fields, err: error };
}
