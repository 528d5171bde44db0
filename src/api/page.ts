import { z } from 'zod';

import { isId } from '../db/id.ts';
import type { PageRequest } from '../db/page.ts';
import { numberQuery } from './fields.ts';

const LARGEST_PAGE = 200;
const USUAL_PAGE = 50;

export const limitQuery = numberQuery(1, LARGEST_PAGE)
  .optional()
  .meta({ openapi: { type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: USUAL_PAGE } });

const cursorQuery = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22}$/, 'is not a cursor that this API gave out')
  .transform((cursor, context) => {
    const hex = Buffer.from(cursor, 'base64url').toString('hex');
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    if (!isId(id)) context.addIssue('is not a cursor that this API gave out');
    return id;
  })
  .optional()
  .meta({ openapi: { type: 'string', description: 'The `next` of the page before.' } });

/** Where the id of an item is a name, it serves as the cursor as it is. */
export const nameCursorQuery = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .meta({ openapi: { type: 'string', description: 'The `next` of the page before.' } });

export const pageQuery = z.strictObject({ limit: limitQuery, cursor: cursorQuery });

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next: z.string().nullable() });
}

export function toPageRequest(query: { limit?: number | undefined; cursor?: string | undefined }): PageRequest {
  return { limit: query.limit ?? USUAL_PAGE, ...(query.cursor !== undefined && { afterId: query.cursor }) };
}

/** The answer of a list: its items and, when there are more, the cursor behind the last one. */
export function toPage<Item extends { id: string }>(page: { items: Item[]; more: boolean }) {
  const last = page.more ? page.items.at(-1) : undefined;
  return { items: page.items, next: last === undefined ? null : toCursor(last.id) };
}

function toCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}
