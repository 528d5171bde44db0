import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type Log = Logger;

const LEVEL_NAMES: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

// Present in every line and of no use to a person who reads along.
const FIELDS_NOT_SHOWN = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'err']);

/** The one log of a process: JSON lines for machines, single readable lines for a person at a terminal. */
export function createLog(level: string, readable: boolean = process.stdout.isTTY === true): Log {
  const options = {
    level,
    // Keys reach the log only by accident; these are the accidents that are easy to have.
    redact: ['*.authorization', '*.apiKey', 'apiKey', 'headers.authorization', 'req.headers.authorization'],
  };
  return readable ? pino(options, readableStream()) : pino(options);
}

function readableStream(): DestinationStream {
  return {
    write(line: string) {
      process.stdout.write(`${readableLine(line)}\n`);
    },
  };
}

/** One JSON line of the log as a person wants to see it: time, level, message, then the fields. */
export function readableLine(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown> & {
    msg?: string;
    err?: { message?: string; stack?: string };
  };
  const time = new Date(Number(entry['time'])).toTimeString().slice(0, 8);
  const level = (LEVEL_NAMES[Number(entry['level'])] ?? 'info').padEnd(5);
  const fields = Object.entries(entry)
    .filter(([name]) => !FIELDS_NOT_SHOWN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const fault = entry.err?.stack ?? entry.err?.message;
  const text = [time, level, entry.msg ?? '', ...fields].join(' ').replaceAll('\n', ' ');
  return fault === undefined ? text : `${text}\n${fault}`;
}
