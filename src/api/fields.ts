import { z } from 'zod';

import { isId } from '../db/id.ts';

const MOST_TEXT_BYTES = 32_768;
const LONGEST_NAME = 200;

// Line breaks, other control characters, and the marks that turn the writing direction around: a name with them can
// pass for another line or another name.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** What the OpenAPI document says instead of what zod would say of a field. */
const documented = (openapi: object) => ({ openapi });

export const idField = z
  .string()
  .refine(isId, 'is not an id')
  .meta(documented({ type: 'string', format: 'uuid' }));

export const nameField = z
  .string()
  .trim()
  .refine((name) => name !== '' && [...name].length <= LONGEST_NAME, `must have 1 to ${LONGEST_NAME} characters`)
  .refine((name) => !UNPRINTABLE.test(name), 'must be one line without control characters')
  .meta(documented({ type: 'string', minLength: 1, maxLength: LONGEST_NAME }));

/** Kept exactly as sent; only blank and over-long text is refused. */
export const textField = z
  .string()
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine((text) => Buffer.byteLength(text) <= MOST_TEXT_BYTES, `must have at most ${MOST_TEXT_BYTES} bytes of UTF-8`)
  .meta(documented({ type: 'string', minLength: 1, description: `At most ${MOST_TEXT_BYTES} bytes of UTF-8.` }));

export const timeField = z.string().meta(documented({ type: 'string', format: 'date-time' }));

/** A number as a query writes it. */
export function numberQuery(least: number, most: number) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, 'is not a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`)
    .meta(documented({ type: 'integer', minimum: least, maximum: most }));
}

export const seqQuery = numberQuery(0, Number.MAX_SAFE_INTEGER);
