import { z } from 'zod';

import { STATUS } from './error-handler.ts';
import { isIdName, type Route, type Tag } from './route.ts';

type Json = Record<string, unknown>;

const TAGS: Record<Tag, string> = {
  Organizations: 'Tenants. Nothing of one is visible to another.',
  Keys: 'What callers send as `Authorization: Bearer <key>`.',
  Humans: 'People who take part in spaces.',
  Agents: 'Members that sleep at no cost and wake when something reaches their inbox.',
  Memories: 'What an agent keeps in mind and wants to reach, beyond what it lived through.',
  Plans: 'What an agent will be woken for, once or again and again.',
  Spaces: 'Rooms with members, ordered messages and an ordered log of events.',
  Messages: 'What is said in a space, and the stream to follow it.',
  Runs: 'What an agent did, remembers and has waiting.',
  Tools: 'What agents may call beside the built-in tools, and the calls that wait for their answers.',
  Server: 'Health and description of this server.',
};

const problemSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: [...Object.keys(STATUS), 'internal'] },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
  },
  required: ['title', 'status', 'detail', 'code', 'requestId'],
};

/** The table of routes as an OpenAPI 3.1 document, from the same schemas that check requests. */
export function openApi(routes: readonly Route[]): Json {
  const schemas: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method] = operation(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Wakeful',
      version: '1',
      description: 'A durable runtime for AI agents that live on. Errors are `application/problem+json`.',
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => a.localeCompare(b))),
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(route: Route, schemas: Json): Json {
  const parameters = [...pathParameters(route), ...headerParameters(route), ...queryParameters(route, schemas)];
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: route.access === 'anyone' ? [] : [{ key: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: jsonSchema(route.body, 'input', schemas),
            ...(route.example !== undefined && { example: route.example }),
          },
        },
      },
    }),
    responses: { [route.status]: success(route, schemas), default: PROBLEM },
  };
}

const PROBLEM = {
  description: 'What went wrong, and what to do about it',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const MEANING = { 200: 'Done', 201: 'Created', 202: 'Accepted', 204: 'Done, nothing to say' };

function success(route: Route, schemas: Json): Json {
  const description = MEANING[route.status];
  if (route.mediaType !== undefined)
    return { description, content: { [route.mediaType]: { schema: { type: 'string' } } } };
  if (route.answer === undefined) return { description };
  return { description, content: { 'application/json': { schema: jsonSchema(route.answer, 'output', schemas) } } };
}

/** `POST /v1/agents/:agentId/stop` → `postAgentsStop`. A path that ends in an id is about one of them: `getAgentsOne`. */
function operationId(route: Route): string {
  const words = route.path
    .replace(/^\/v1/, '')
    .split(/[/.]/)
    .filter((word) => word !== '' && !word.startsWith(':'));
  const one = /:\w+$/.test(route.path) && route.method === 'get' ? ['one'] : [];
  return route.method + [...words, ...one].map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

function pathParameters(route: Route): Json[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: isIdName(name!) ? { type: 'string', format: 'uuid' } : { type: 'string', minLength: 1, maxLength: 100 },
  }));
}

function headerParameters(route: Route): Json[] {
  const text = { type: 'string', minLength: 1, maxLength: 255 };
  if (route.method === 'post') {
    const description = 'The same key with the same request gives the same answer and happens once. Kept for a day.';
    return [{ name: 'Idempotency-Key', in: 'header', description, schema: text }];
  }
  if (route.mediaType === 'text/event-stream') {
    return [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'The last event seen',
        schema: { type: 'integer', minimum: 0 },
      },
    ];
  }
  return [];
}

function queryParameters(route: Route, schemas: Json): Json[] {
  if (route.query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(route.query, 'input', schemas) as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema,
  }));
}

/** Named schemas go to the components; a field may say in its own words what zod cannot. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: json }) => {
      const documented = z.globalRegistry.get(zodSchema)?.['openapi'];
      if (typeof documented !== 'object') return;
      for (const name of Object.keys(json)) delete json[name];
      Object.assign(json, documented);
    },
  });
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json & { $defs?: Json };
  Object.assign(schemas, $defs);
  return rest;
}
