import { z } from 'zod';

import { AppError } from '../errors.ts';
import { cronFault, localTime, nextRun, tidyCron } from './cron.ts';
import { readDuration } from './duration.ts';

/** When a plan runs, as it is given: exactly one of the first three. */
export type GivenTiming = {
  runAfter?: string | undefined;
  scheduledAt?: string | undefined;
  cron?: string | undefined;
  timeZone?: string | undefined;
};

/** When a plan runs, as it is kept: `cron` again and again, `scheduledAt` once. */
export type Timing = { cron: string | null; timeZone: string | null; scheduledAt: Date | null; nextRunAt: Date };

const WAYS = ['runAfter', 'scheduledAt', 'cron'] as const;
const TIMING = [...WAYS, 'timeZone'] as const;
const MOST_YEARS = 10;
const MOST_SECONDS = MOST_YEARS * 365 * 86_400;

const isoTime = z.iso.datetime({ offset: true, local: true });
const HAS_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;
const ZONE_NAME = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/;

export function namesTiming(given: GivenTiming): boolean {
  return TIMING.some((field) => given[field] !== undefined);
}

/** Checked when the plan is set, not when it should have run. */
export function readTiming(given: GivenTiming, { floorSeconds, now }: { floorSeconds: number; now: Date }): Timing {
  const ways = WAYS.filter((way) => given[way] !== undefined);
  if (ways.length !== 1) {
    const message = `a plan has exactly one of ${WAYS.join(', ')}`;
    throw fault(ways[1] ?? 'cron', message, message);
  }
  const timeZone = given.timeZone === undefined ? null : readZone(given.timeZone);
  if (given.runAfter !== undefined) {
    if (timeZone !== null) throw fault('timeZone', 'goes with cron or scheduledAt; a delay is the same everywhere');
    return once(delayed(given.runAfter, now), null);
  }
  if (given.scheduledAt !== undefined) return once(scheduled(given.scheduledAt, timeZone, now), timeZone);
  const cron = tidyCron(given.cron!);
  const zone = timeZone ?? 'UTC';
  const wrong = cronFault(cron, zone, floorSeconds, now);
  if (wrong !== undefined) throw fault('cron', wrong);
  return { cron, timeZone: zone, scheduledAt: null, nextRunAt: nextRun(cron, zone, now)! };
}

function once(at: Date, timeZone: string | null): Timing {
  // Temporal's clock strikes whole seconds; one before its time would be refused.
  const scheduledAt = new Date(Math.ceil(at.getTime() / 1_000) * 1_000);
  return { cron: null, timeZone, scheduledAt, nextRunAt: scheduledAt };
}

function delayed(runAfter: string, now: Date): Date {
  const seconds = readDuration(runAfter);
  if (seconds === undefined) throw fault('runAfter', 'is not a delay; write it like 90s, 30m, 2 hours or 1d 12h');
  if (seconds < 1 || seconds > MOST_SECONDS) throw fault('runAfter', `must be from 1 second to ${MOST_YEARS} years`);
  return new Date(now.getTime() + seconds * 1_000);
}

function scheduled(scheduledAt: string, timeZone: string | null, now: Date): Date {
  const given = scheduledAt.trim().replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T');
  if (!isoTime.safeParse(given).success) {
    throw fault(
      'scheduledAt',
      'is not a time; write it like 2027-03-01T09:00:00Z, or 2027-03-01T09:00 with a timeZone',
    );
  }
  if (!HAS_OFFSET.test(given) && timeZone === null) {
    throw fault('scheduledAt', 'could be any time zone’s; end it with Z or an offset, or name a timeZone');
  }
  const at = HAS_OFFSET.test(given) ? new Date(given) : localTime(given, timeZone!);
  if (at === undefined || Number.isNaN(at.getTime())) throw fault('scheduledAt', 'is a time that does not exist');
  if (at <= now) throw fault('scheduledAt', `lies in the past; it is ${now.toISOString()} now`);
  if (at.getTime() - now.getTime() > MOST_SECONDS * 1_000) {
    throw fault('scheduledAt', `lies more than ${MOST_YEARS} years ahead`);
  }
  return at;
}

/** In the spelling of the time zone database, which is what Temporal knows. */
function readZone(given: string): string {
  const unknown = fault('timeZone', 'is not a time zone; use a name such as Europe/Berlin');
  if (!/^[a-z]/i.test(given)) throw unknown; // an offset has no summer: 9 o'clock would come an hour off
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    const isAlias = timeZone.toLowerCase() !== given.toLowerCase();
    return isAlias && ZONE_NAME.test(given) ? given : timeZone;
  } catch {
    throw unknown;
  }
}

function fault(path: keyof GivenTiming, message: string, sentence = `${path} ${message}`): AppError {
  return new AppError('invalid-request', sentence, { fields: [{ path, message }] });
}
