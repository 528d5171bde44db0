const SECONDS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const;
const PARTS = /(\d{1,9}(?:\.\d{1,3})?)\s*(w|d|h|m|s)[a-z]*/g;
const WORDS =
  /^(\d+(\.\d+)?\s*(w|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(\s*,\s*|\s+and\s+|\s*))+$/;
const ISO = /^p(?=.)(\d+w|(\d+d)?(t(?=.)(\d+h)?(\d+m)?(\d+s)?)?)$/;

/** Seconds in "90s", "30 minutes", "1h 30m", "2 days" or the ISO 8601 form "PT30M". */
export function readDuration(text: string): number | undefined {
  const given = text.trim().toLowerCase();
  if (given.length > 60 || !(WORDS.test(given) || ISO.test(given))) return undefined;
  return [...given.matchAll(PARTS)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * SECONDS[unit as keyof typeof SECONDS],
    0,
  );
}
