import { describe, expect, test } from 'vitest';
import { openApi } from '../../src/api/openapi.ts';
import type { Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/api/routes/index.ts';

type Operation = {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, { description: string; content?: object }>;
  security: object[];
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
};

// As a client gets it: through JSON.
const document = JSON.parse(JSON.stringify(openApi(ROUTES))) as Document;
const routes = ROUTES.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);

function operationOf(route: Route): Operation {
  return document.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]![route.method]!;
}

describe('the OpenAPI document', () => {
  test('is an OpenAPI 3.1 document with every route once and nothing else', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(operations).toHaveLength(ROUTES.length);
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(ROUTES.length);
  });

  test.each(routes)('%s has its parameters, its answer and its errors', (_name, route) => {
    const operation = operationOf(route);
    expect(document.tags.map((tag) => tag.name)).toContain(operation.tags[0]);
    expect(Object.keys(operation.responses)).toEqual([String(route.status), 'default']);
    expect(operation.security).toEqual(route.access === 'anyone' ? [] : [{ key: [] }]);
    const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(declared.map((parameter) => parameter.name)).toEqual(inPath);
    expect(declared.every((parameter) => parameter.required)).toBe(true);
    expect(operation.requestBody === undefined).toBe(route.body === undefined);
  });

  test('refers only to schemas that it holds', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      expect(reference).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(document.components.schemas).toHaveProperty(reference.slice('#/components/schemas/'.length));
    }
  });

  test('says in its own words what zod cannot, and nothing of zod’s besides', () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('"openapi":{');
    expect(text).not.toContain('$defs');
    expect(
      operationOf(ROUTES.find((route) => route.method === 'get' && route.path === '/v1/spaces')!).parameters,
    ).toEqual([
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } },
      { name: 'cursor', in: 'query', schema: { type: 'string', description: 'The `next` of the page before.' } },
    ]);
  });

  test.each(routes.filter(([, route]) => route.body !== undefined))(
    '%s has an example that it would accept',
    (_name, route) => {
      const example = operationOf(route).requestBody?.content['application/json']?.example;
      expect(example).toBeDefined();
      expect(route.body!.safeParse(example).error?.issues ?? []).toEqual([]);
    },
  );
});
