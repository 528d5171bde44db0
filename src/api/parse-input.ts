import type { z } from 'zod';

import { AppError, type FieldFault } from '../errors.ts';

// Enough to mend a form in one go; a hostile body gets no megabyte back.
const MOST_FAULTS = 20;

export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: 'body' | 'query',
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.flatMap(toFaults).slice(0, MOST_FAULTS);
  const names = [...new Set(fields.map((field) => field.path).filter(Boolean))].slice(0, 3).join(', ');
  const detail = names === '' ? `the ${what} is not what this call takes` : `the ${what} is wrong in ${names}`;
  throw new AppError('invalid-request', detail, { fields });
}

function toFaults(issue: z.core.$ZodIssue): FieldFault[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: written([...path, key]), message: 'is not a known field' }));
  }
  return [{ path: written(path), message: issue.message }];
}

function written(path: string[]): string {
  return path.join('.').slice(0, 100).toWellFormed();
}
