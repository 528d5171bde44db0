import type { z } from 'zod';

import { AppError } from '../errors.ts';

/** A name that a path gives to something new, such as the key of a memory. */
export function readName(schema: z.ZodType<string>, name: string, path: string): string {
  const parsed = schema.safeParse(name);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]?.message ?? 'is not valid';
  throw new AppError('invalid-request', `the path is wrong in ${path}`, { fields: [{ path, message }] });
}
