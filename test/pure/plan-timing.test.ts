import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { AppError } from '../../src/errors.ts';
import { countRuns, nextRun, toTemporalCrons } from '../../src/plans/cron.ts';
import { readDuration } from '../../src/plans/duration.ts';
import { readTiming, type GivenTiming } from '../../src/plans/timing.ts';

const NOW = new Date('2026-11-18T10:00:00.500Z');

function read(given: GivenTiming, floorSeconds = 60) {
  return readTiming(given, { floorSeconds, now: NOW });
}

/** What is wrong with it, as the model and the HTTP caller are told. */
function faultOf(given: GivenTiming, floorSeconds = 60): { path: string | undefined; message: string } {
  try {
    read(given, floorSeconds);
  } catch (error) {
    if (error instanceof AppError) return { path: error.fields?.[0]?.path, message: error.message };
    throw error;
  }
  return { path: undefined, message: 'nothing' };
}

describe('when a plan runs', () => {
  test('is said in exactly one way', () => {
    expect(faultOf({}).message).toBe('a plan has exactly one of runAfter, scheduledAt, cron');
    expect(faultOf({ timeZone: 'UTC' }).message).toContain('exactly one');
    expect(faultOf({ runAfter: '1h', cron: '0 9 * * *' })).toMatchObject({ path: 'cron' });
    expect(faultOf({ runAfter: '1h', timeZone: 'UTC' })).toMatchObject({ path: 'timeZone' });
  });

  test.each([
    ['90s', 90],
    ['30m', 1_800],
    ['30 minutes', 1_800],
    ['2 hours', 7_200],
    ['1h 30m', 5_400],
    ['1 hour and 30 minutes', 5_400],
    ['1d, 12h', 129_600],
    ['2 weeks', 1_209_600],
    ['1.5h', 5_400],
    ['PT30M', 1_800],
    ['P1DT2H', 93_600],
    ['P2W', 1_209_600],
  ])('a delay of %s is %i seconds', (text, seconds) => {
    expect(readDuration(text)).toBe(seconds);
  });

  test.each(['', '30', 'soon', '-5m', '5 parsecs', 'PT', 'P', '1h1', '5 months', '1e9s', '٣m', '9'.repeat(50)])(
    'a delay of "%s" is refused',
    (runAfter) => {
      expect(faultOf({ runAfter })).toMatchObject({ path: 'runAfter' });
    },
  );

  test('a delay counts from now, in whole seconds and never early', () => {
    expect(read({ runAfter: '90s' }).nextRunAt.toISOString()).toBe('2026-11-18T10:01:31.000Z');
    expect(faultOf({ runAfter: '0s' }).message).toContain('from 1 second');
    expect(faultOf({ runAfter: '5000 weeks' }).message).toContain('10 years');
  });

  test.each([
    [{ scheduledAt: '2026-12-01T09:00:00Z' }, '2026-12-01T09:00:00.000Z'],
    [{ scheduledAt: '2026-12-01T09:00:00.250+02:00' }, '2026-12-01T07:00:01.000Z'],
    [{ scheduledAt: '2026-12-01T09:00', timeZone: 'Europe/Berlin' }, '2026-12-01T08:00:00.000Z'],
    [{ scheduledAt: '2026-12-01 09:00:30', timeZone: 'asia/kolkata' }, '2026-12-01T03:30:30.000Z'],
    // In the gap of a change of clocks: an hour later by the clock on the wall.
    [{ scheduledAt: '2027-03-28T02:30', timeZone: 'Europe/Berlin' }, '2027-03-28T01:30:00.000Z'],
  ])('%o is %s', (given, at) => {
    expect(read(given).nextRunAt.toISOString()).toBe(at);
    expect(read(given).scheduledAt).toEqual(read(given).nextRunAt);
  });

  test.each([
    ['2026-11-18T09:59:59Z', 'in the past; it is 2026-11-18T10:00:00.500Z now'],
    ['9999-01-01T00:00:00Z', '10 years'],
    ['2026-12-01T09:00:00', 'any time zone'],
    ['2026-02-31T09:00:00Z', 'not a time'],
    ['tomorrow', 'not a time'],
    ['1790000000', 'not a time'],
  ])('a time of %s is refused: %s', (scheduledAt, words) => {
    const fault = faultOf({ scheduledAt });
    expect(fault.path).toBe('scheduledAt');
    expect(fault.message).toContain(words);
  });

  test.each(['Mars/Base', '+02:00', '+25:00', 'Europe/Berlin\u0000', '', 'Berlin'])(
    'zone %o is refused',
    (timeZone) => {
      expect(faultOf({ cron: '0 9 * * *', timeZone })).toMatchObject({ path: 'timeZone' });
    },
  );

  test('a zone is kept as the time zone database writes it', () => {
    expect(read({ cron: '0 9 * * *', timeZone: 'europe/berlin' }).timeZone).toBe('Europe/Berlin');
    expect(read({ cron: '0 9 * * *', timeZone: 'Asia/Kolkata' }).timeZone).toBe('Asia/Kolkata');
    expect(read({ cron: '0 9 * * *' }).timeZone).toBe('UTC');
  });

  // RELIABILITY.md, inputs 77 to 79.
  test.each([
    ['* * * *', 'five fields'],
    ['*/0 * * * *', 'cannot be read'],
    ['61 * * * *', 'cannot be read'],
    ['٥ * * * *', 'five fields'],
    [
      Array.from({ length: 60 }, (_, minute) => minute)
        .join(',')
        .repeat(40),
      'five fields',
    ],
    ['@every 1s', 'five fields'],
    ['@daily', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['0 0 9 * * * 2027', 'five fields'],
    ['0 9 * * 1#2', 'five fields'],
    ['0 9 L * *', 'five fields'],
    ['0 9 15W * *', 'five fields'],
    ['0 9 ? * *', 'five fields'],
    ['0 22-2 * * *', 'cannot be read'],
    ['0 9 * FOO *', 'five fields'],
    ['0 9 * * JAN', 'cannot be read'],
    ['0 0 30 2 *', 'never comes true'],
    ['0 0 31 4,6,9,11 *', 'never comes true'],
  ])('cron %s is refused: %s', (cron, words) => {
    const fault = faultOf({ cron });
    expect(fault.path).toBe('cron');
    expect(fault.message).toContain(words);
  });

  test('a floor refuses what runs more often, also where it does so only now and then', () => {
    expect(faultOf({ cron: '* * * * *' }).message).toBe('nothing');
    for (const cron of ['* * * * *', '*/4 * * * *', '0,58 * * * *', '1-3 9 * * MON']) {
      expect([cron, faultOf({ cron }, 300).message]).toEqual([cron, expect.stringContaining('too often')]);
    }
    for (const cron of ['*/5 * * * *', '0 9 * * *']) expect(faultOf({ cron }, 300).message).toBe('nothing');
  });
});

describe('a cron', () => {
  const at = (text: string): Date => new Date(text);

  test('runs once where clocks are set back, and after the gap where they are set forward', () => {
    const runs = (cron: string, zone: string, from: string, count: number): string[] => {
      const found: string[] = [];
      for (let after: Date | undefined = at(from); found.length < count;) {
        after = nextRun(cron, zone, after!);
        found.push(after!.toISOString());
      }
      return found;
    };
    expect(runs('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ]);
    expect(runs('30 1 * * *', 'America/New_York', '2027-11-06T12:00:00Z', 2)).toEqual([
      '2027-11-07T05:30:00.000Z',
      '2027-11-08T06:30:00.000Z',
    ]);
  });

  test('that names both days runs on either, and says so to Temporal, which would want both', () => {
    expect(nextRun('0 0 13 * FRI', 'UTC', at('2026-11-18T00:00:00Z'))!.toISOString()).toBe('2026-11-20T00:00:00.000Z');
    expect(toTemporalCrons('0 0 13 * FRI')).toEqual(['0 0 13 * *', '0 0 * * FRI']);
    expect(toTemporalCrons('0 9 * * FRI')).toEqual(['0 9 * * FRI']);
  });

  test('counts the runs that were missed, up to a hundred', () => {
    expect(countRuns('0 * * * *', 'UTC', at('2026-11-18T09:00:00Z'), at('2026-11-18T12:30:00Z'))).toBe(3);
    expect(countRuns('* * * * *', 'UTC', at('2026-01-01T00:00:00Z'), at('2026-11-18T12:30:00Z'))).toBe(100);
  });

  test('of any text is read or refused, and never crashes', () => {
    const field = fc.stringMatching(/^[\d*,/\-LW#?A-Z]{1,12}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(field, field, field, field, field).map((all) => all.join(' ')),
        ),
        (cron) => {
          expect(faultOf({ cron }, 300)).toMatchObject({ message: expect.any(String) });
        },
      ),
      { numRuns: 500 },
    );
  });
});
