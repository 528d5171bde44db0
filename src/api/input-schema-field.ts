import { z } from 'zod';

import { depthOf } from './check-json.ts';

const MOST_BYTES = 32_768;
const DEEPEST = 20;

// A reference may point anywhere, also at itself; providers differ in what they make of it.
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** The JSON schema of a tool's input, within what every provider takes: one that it refuses would fail every cycle. */
export const inputSchemaField = z
  .custom<Record<string, unknown>>(isObject, 'must be a JSON schema')
  .superRefine((schema, context) => {
    const fault = faultOf(schema);
    if (fault !== undefined) context.addIssue(fault);
  })
  .meta({
    openapi: {
      type: 'object',
      description: `A JSON schema with type "object", without references, of at most ${MOST_BYTES} bytes and ${DEEPEST} levels.`,
    },
  });

function faultOf(schema: Record<string, unknown>): string | undefined {
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MOST_BYTES) return `must have at most ${MOST_BYTES} bytes`;
  if (depthOf(text) > DEEPEST) return `must not be nested deeper than ${DEEPEST} levels`;
  if (schema['type'] !== 'object') return 'must have type "object"';
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties) || !Object.values(properties).every((one) => isObject(one) || typeof one === 'boolean'))
    return 'must have schemas as properties';
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    return 'must have a list of names as required';
  return refers(schema) ? 'must not hold a $ref; write the schema out' : undefined;
}

function refers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => REFERENCES.has(name) || refers(inner));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
