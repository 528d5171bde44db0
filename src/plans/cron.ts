import { Cron } from 'croner';

// What every cron means by the same signs. L, W, #, ?, nicknames, seconds and years differ from one to the next:
// Temporal takes `1#2` for every Monday and a comment.
const FIELD = /^([\d*,/-]|SUN|MON|TUE|WED|THU|FRI|SAT|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+$/i;
// Of a longer one nobody could say when it runs.
const LONGEST = 200;
// A pattern repeats its gaps within an hour, or has none shorter than one.
const LOOKED_AT = 200;

/** One spelling for equal expressions. */
export function tidyCron(cron: string): string {
  return cron.trim().replaceAll(/\s+/g, ' ').toUpperCase();
}

/** What is wrong with an expression, in words its author can act on. */
export function cronFault(cron: string, timeZone: string, floorSeconds: number, now: Date): string | undefined {
  const fields = cron.split(' ');
  if (cron.length > LONGEST || fields.length !== 5 || !fields.every((field) => FIELD.test(field))) {
    return 'must be five fields: minute, hour, day of the month, month, day of the week; with numbers, names such as MON, and * , - / only';
  }
  const read = readCron(cron, timeZone);
  if (typeof read === 'string') return `cannot be read: ${read}`;
  const runs = read.nextRuns(floorSeconds > 60 ? LOOKED_AT : 1, now);
  if (runs.length === 0) return 'never comes true, like the 30th of February';
  const close = runs.some(
    (run, index) => index > 0 && run.getTime() - runs[index - 1]!.getTime() < floorSeconds * 1_000,
  );
  return close ? `runs too often; plans here run at most every ${floorSeconds} seconds` : undefined;
}

/**
 * The first run behind a moment. A time that a change of clocks leaves out comes when it is over; one that comes twice
 * runs once.
 */
export function nextRun(cron: string, timeZone: string, after: Date): Date | undefined {
  return new Cron(cron, { timezone: timeZone }).nextRun(after) ?? undefined;
}

/** How many runs lie in between, up to a hundred. */
export function countRuns(cron: string, timeZone: string, after: Date, until: Date): number {
  return new Cron(cron, { timezone: timeZone }).nextRuns(100, after).filter((run) => run <= until).length;
}

/** A time of day somewhere, such as 2027-03-01T09:00, as a moment. */
export function localTime(time: string, timeZone: string): Date | undefined {
  return nextRun(time.length === 16 ? `${time}:00` : time, timeZone, new Date(0));
}

/**
 * As Temporal reads it. Where both days are given, a cron runs on either; Temporal would want both at once, so it gets
 * two expressions.
 */
export function toTemporalCrons(cron: string): string[] {
  const [minute, hour, day, month, weekday] = cron.split(' ');
  if (day === '*' || weekday === '*') return [cron];
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`];
}

function readCron(cron: string, timeZone: string): Cron | string {
  try {
    return new Cron(cron, { timezone: timeZone, mode: '5-part' });
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
}
