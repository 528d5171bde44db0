/** The parts of an OpenAPI 3.1 document that the docs page shows. Everything is optional: a page must come out of any. */

export type Schema = {
  $ref?: string;
  title?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema | boolean>;
  required?: string[];
  items?: Schema | boolean;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

export type Parameter = {
  $ref?: string;
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

export type Content = Record<string, { schema?: Schema; example?: unknown }>;

export type Answer = { $ref?: string; description?: string; content?: Content };

export type RequestBody = { $ref?: string; description?: string; required?: boolean; content?: Content };

export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses?: Record<string, Answer>;
  security?: Record<string, string[]>[];
};

export type OpenApi = {
  info?: { title?: string; version?: string; description?: string };
  servers?: { url?: string }[];
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, unknown>>;
  components?: { schemas?: Record<string, Schema> } & Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
};

/** What a `$ref` within the document points to; the value itself when it is none; undefined when it points nowhere. */
export function resolveReference<Value extends { $ref?: string }>(document: OpenApi, value: Value): Value | undefined {
  if (value.$ref === undefined) return value;
  if (!value.$ref.startsWith('#/')) return undefined;
  let target: unknown = document;
  for (const step of value.$ref.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined;
    target = (target as Record<string, unknown>)[name];
  }
  return target as Value;
}
