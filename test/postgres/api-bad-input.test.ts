import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type CallOptions, type TestApi } from '../support/api.ts';

type Problem = {
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors?: { path: string }[];
};

let api: TestApi;
const ids: Record<string, string> = {};

beforeAll(async () => {
  api = await startApi();
  const make = async (path: string, body: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', path, { body })).body.id;
  ids['ana'] = await make('/v1/humans', { name: 'Ana' });
  ids['ada'] = await make('/v1/agents', { name: 'Ada', instructions: 'Be kind.' });
  ids['space'] = await make('/v1/spaces', { name: 'Room', members: [ids['ana'], ids['ada']] });
});
afterAll(() => api.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const NOBODY = '01900000-0000-7000-8000-000000000000';

type Case = [
  what: string,
  status: number,
  method: string,
  path: string,
  options?: (() => CallOptions) | undefined,
  code?: string,
];

const message =
  (text: unknown): (() => CallOptions) =>
  () => ({ body: { senderId: ids['ana'], text } });
const raw =
  (rawBody: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE): (() => CallOptions) =>
  () => ({ rawBody, headers });
const human =
  (body: unknown): (() => CallOptions) =>
  () => ({ body });

const MESSAGES = '/v1/spaces/{space}/messages';

const CASES: Case[] = [
  ['no JSON', 400, 'POST', '/v1/humans', raw('{"name":')],
  ['a trailing comma', 400, 'POST', '/v1/humans', raw('{"name":"Ana",}')],
  ['an empty body that says it is JSON', 400, 'POST', '/v1/humans', raw('')],
  ['bytes that are no UTF-8', 400, 'POST', '/v1/humans', raw(Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]))],
  ['200,000 nested arrays', 400, 'POST', '/v1/humans', raw('['.repeat(200_000) + ']'.repeat(200_000))],
  ['no body at all', 415, 'POST', '/v1/humans'],
  ['plain text', 415, 'POST', '/v1/humans', raw('{"name":"Ana"}', { 'content-type': 'text/plain' })],
  ['a form', 415, 'POST', '/v1/humans', raw('name=Ana', { 'content-type': 'application/x-www-form-urlencoded' })],
  [
    'another charset',
    415,
    'POST',
    '/v1/humans',
    raw('{"name":"Ana"}', { 'content-type': 'application/json; charset=latin1' }),
  ],
  ['a compressed body', 415, 'POST', '/v1/humans', raw('x', { ...JSON_TYPE, 'content-encoding': 'gzip' })],
  ['a body over 1 MB', 413, 'POST', '/v1/humans', raw(JSON.stringify({ name: 'x'.repeat(1_100_000) }))],
  ['an array', 422, 'POST', '/v1/humans', human([])],
  ['null', 422, 'POST', '/v1/humans', human(null)],
  ['an unknown field', 422, 'POST', '/v1/humans', human({ name: 'Ana', isAdmin: true })],
  ['a field that sets the tenant', 422, 'POST', '/v1/humans', human({ name: 'Ana', orgId: NOBODY })],
  ['__proto__', 422, 'POST', '/v1/humans', raw('{"name":"Ana","__proto__":{"admin":true}}')],
  ['an escaped __proto__', 422, 'POST', '/v1/humans', raw('{"name":"Ana","\\u005f_proto__":{"admin":true}}')],
  ['constructor.prototype', 422, 'POST', '/v1/humans', raw('{"name":"Ana","constructor":{"prototype":{}}}')],
  ['a number for a name', 422, 'POST', '/v1/humans', human({ name: 5 })],
  ['a name of spaces', 422, 'POST', '/v1/humans', human({ name: '   ' })],
  ['a name of 201 characters', 422, 'POST', '/v1/humans', human({ name: 'x'.repeat(201) })],
  ['a name of two lines', 422, 'POST', '/v1/humans', human({ name: 'Ana\nBen' })],
  ['a name that turns the writing around', 422, 'POST', '/v1/humans', human({ name: 'Ana\u202eneB' })],
  ['U+0000 in a name', 422, 'POST', '/v1/humans', raw('{"name":"A\\u0000na"}')],
  ['half a surrogate pair in a name', 422, 'POST', '/v1/humans', raw('{"name":"A\\ud800na"}')],
  ['U+0000 in a text', 422, 'POST', MESSAGES, message('a\u0000b')],
  ['half a surrogate pair in a text', 422, 'POST', MESSAGES, message('a\ud800b')],
  ['U+0000 in a field name', 422, 'POST', '/v1/humans', raw('{"name":"Ana","\\u0000":1}')],
  ['an empty text', 422, 'POST', MESSAGES, message('')],
  ['a text of spaces', 422, 'POST', MESSAGES, message(' \n\t ')],
  ['a text of 32,769 bytes', 422, 'POST', MESSAGES, message('é'.repeat(16_384) + 'x')],
  ['a text that is an object', 422, 'POST', MESSAGES, message({ $ne: '' })],
  [
    'an urgency that is a word',
    422,
    'POST',
    MESSAGES,
    () => ({ body: { senderId: ids['ana'], text: 'x', urgent: 'yes' } }),
  ],
  ['a sender that is no id', 422, 'POST', MESSAGES, () => ({ body: { senderId: 'ana', text: 'x' } })],
  ['a sender that nobody is', 404, 'POST', MESSAGES, () => ({ body: { senderId: NOBODY, text: 'x' } })],
  ['a space that is not there', 404, 'POST', `/v1/spaces/${NOBODY}/messages`, message('x')],
  ['an agent’s id for a space', 404, 'GET', '/v1/spaces/{ada}'],
  ['a human’s id for an agent', 404, 'GET', '/v1/agents/{ana}'],
  ['an id of dots', 404, 'GET', '/v1/spaces/..%2f..%2fx'],
  ['an id with U+0000', 404, 'GET', '/v1/spaces/%00'],
  ['an id of 5,000 characters', 404, 'GET', `/v1/spaces/${'a'.repeat(5_000)}`],
  ['an id in capitals', 404, 'GET', `/v1/spaces/${NOBODY.toUpperCase().replace('019', 'A19')}`],
  ['an emoji as id', 404, 'GET', '/v1/spaces/%F0%9F%98%80'],
  ['broken percent-encoding in the path', 400, 'GET', '/v1/spaces/%zz'],
  ['broken UTF-8 in the path', 400, 'GET', '/v1/spaces/%ff'],
  ['broken percent-encoding in the query', 400, 'GET', '/v1/spaces?limit=%zz'],
  ['an unknown path', 404, 'GET', '/v1/nothing'],
  ['a doubled slash', 404, 'GET', '//v1/spaces'],
  ['a slash at the end', 404, 'GET', '/v1/spaces/'],
  ['another case', 404, 'GET', '/V1/spaces'],
  ['limit=0', 422, 'GET', '/v1/spaces?limit=0'],
  ['limit=-1', 422, 'GET', '/v1/spaces?limit=-1'],
  ['limit=201', 422, 'GET', '/v1/spaces?limit=201'],
  ['limit=1e2', 422, 'GET', '/v1/spaces?limit=1e2'],
  ['limit twice', 422, 'GET', '/v1/spaces?limit=1&limit=2'],
  ['limit[]', 422, 'GET', '/v1/spaces?limit[]=1'],
  ['an unknown query', 422, 'GET', '/v1/spaces?orderBy=name'],
  ['__proto__ in the query', 422, 'GET', '/v1/spaces?__proto__=1'],
  ['U+0000 in the query', 422, 'GET', '/v1/spaces?limit=%00'],
  ['a cursor that is none', 422, 'GET', '/v1/spaces?cursor=abc'],
  ['a cursor with quotes', 422, 'GET', "/v1/spaces?cursor='or'1'='1"],
  ['a run cursor of nothing', 422, 'GET', '/v1/agents/{ada}/runs?cursor=AZAAAAAAcACAAAAAAAAAAA'],
  ['after=-1', 422, 'GET', `${MESSAGES}?after=-1`],
  ['before=9007199254740993', 422, 'GET', `${MESSAGES}?before=9007199254740993`],
  ['an unknown inbox status', 422, 'GET', '/v1/agents/{ada}/inbox?status=lost'],
  ['a past cycle, which is not there yet', 422, 'GET', '/v1/agents/{ada}/consciousness?atCycle=1'],
  ['a negative Last-Event-ID', 400, 'GET', '/v1/spaces/{space}/events', () => ({ headers: { 'last-event-id': '-1' } })],
  [
    'a Last-Event-ID of letters',
    400,
    'GET',
    '/v1/spaces/{space}/events',
    () => ({ headers: { 'last-event-id': 'abc' } }),
  ],
  [
    'a Last-Event-ID beyond the end',
    400,
    'GET',
    '/v1/spaces/{space}/events',
    () => ({ headers: { 'last-event-id': '999' } }),
  ],
  ['a stream from a negative place', 422, 'GET', '/v1/spaces/{space}/events?after=-1'],
  ['a stream as a page', 406, 'GET', '/v1/spaces/{space}/events', () => ({ headers: { accept: 'text/html' } })],
  ['only the head of a stream', 406, 'HEAD', '/v1/spaces/{space}/events'],
  ['a member that nobody is', 404, 'PUT', `/v1/spaces/{space}/members/${NOBODY}`],
  ['a space with a member that nobody is', 404, 'POST', '/v1/spaces', human({ name: 'Room', members: [NOBODY] })],
  ['an unknown method', 405, 'DELETE', '/v1/spaces'],
  ['OPTIONS', 405, 'OPTIONS', '/v1/spaces'],
  ['a method in a header', 405, 'PUT', '/v1/spaces', () => ({ headers: { 'x-http-method-override': 'GET' } })],
  ['an agent with an unknown tool', 422, 'POST', '/v1/agents', human({ name: 'A', instructions: 'x', tools: ['rm'] })],
  [
    'an agent with one tool twice',
    422,
    'POST',
    '/v1/agents',
    human({ name: 'A', instructions: 'x', tools: ['skip', 'skip'] }),
  ],
  ['an agent without instructions', 422, 'POST', '/v1/agents', human({ name: 'A' })],
  [
    'an unknown provider',
    422,
    'POST',
    '/v1/agents',
    human({ name: 'A', instructions: 'x', model: 'nobody:model' }),
    'unknown-model',
  ],
  [
    'a model without provider',
    422,
    'POST',
    '/v1/agents',
    human({ name: 'A', instructions: 'x', model: 'gpt' }),
    'unknown-model',
  ],
  ['an unknown setting', 422, 'POST', '/v1/agents', human({ name: 'A', instructions: 'x', settings: { speed: 1 } })],
  [
    'a setting out of range',
    422,
    'POST',
    '/v1/agents',
    human({ name: 'A', instructions: 'x', settings: { maxSteps: 0 } }),
  ],
  ['a setting that is no whole number', 422, 'PATCH', '/v1/agents/{ada}', human({ settings: { maxSteps: 1.5 } })],
  ['a change of nothing', 422, 'PATCH', '/v1/agents/{ada}', human({})],
  ['a key for no role', 422, 'POST', '/v1/keys', human({ role: 'root' })],
  ['a key for nobody', 404, 'POST', '/v1/keys', human({ role: 'entity', entityId: NOBODY })],
  ['an admin key bound to an entity', 422, 'POST', '/v1/keys', human({ role: 'admin', entityId: NOBODY })],
  ['stopping an agent that sleeps', 409, 'POST', '/v1/agents/{ada}/stop', undefined, 'agent-asleep'],
  [
    'an empty Idempotency-Key',
    400,
    'POST',
    '/v1/humans',
    () => ({ body: { name: 'A' }, headers: { 'idempotency-key': '' } }),
  ],
  [
    'an Idempotency-Key of 256 characters',
    400,
    'POST',
    '/v1/humans',
    () => ({ body: { name: 'A' }, headers: { 'idempotency-key': 'k'.repeat(256) } }),
  ],
  [
    'an Idempotency-Key beyond ASCII',
    400,
    'POST',
    '/v1/humans',
    () => ({ body: { name: 'A' }, headers: { 'idempotency-key': 'é' } }),
  ],
];

const TABLES = [
  'entities',
  'agents',
  'spaces',
  'members',
  'messages',
  'space_events',
  'inbox_events',
  'api_keys',
  'idempotency_keys',
] as const;

async function rowCounts(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const row = await api.runtime.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    counts[table] = row.count;
  }
  return counts;
}

const words = expect.any(String) as unknown;

function problem(status: number, code: string | undefined, requestId: string | null): unknown {
  return expect.objectContaining({ status, title: words, detail: words, code: code ?? words, requestId });
}

describe('a bad request is refused in words and leaves nothing behind', () => {
  test.each(CASES)('%s is answered with %i', async (_what, status, method, path, options, code) => {
    const before = await rowCounts();
    const address = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name]!);
    const answer = await api.call<Problem>(method, address, options?.() ?? {});
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: method === 'HEAD' ? '' : problem(status, code, answer.headers.get('x-request-id')),
    });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'POST, GET, HEAD' : null);
    expect(JSON.stringify(answer.body)).not.toMatch(/select |insert |node_modules|at .*\.ts:/i);
    expect(JSON.stringify(answer.body).length).toBeLessThan(2_000);
    expect(await rowCounts()).toEqual(before);
  });

  test('an object has no new properties afterwards', () => {
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('a text of exactly 32,768 bytes is kept exactly', async () => {
    const text = 'é'.repeat(16_384);
    const answer = await api.call<{ text: string }>('POST', `/v1/spaces/${ids['space']}/messages`, {
      body: { senderId: ids['ana'], text },
    });
    expect(answer.status).toBe(201);
    expect(answer.body.text === text).toBe(true);
  });

  test('text that looks like our framing or SQL stays text', async () => {
    const text = "data: x\n\nevent: reset\nid: 999\n\n'; drop table messages; -- </message>\u202e\u200b";
    const answer = await api.call<{ text: string }>('POST', `/v1/spaces/${ids['space']}/messages`, {
      body: { senderId: ids['ana'], text },
    });
    expect(answer.body.text).toBe(text);
  });

  test('what is no HTTP gets a 400 and the connection ends', async () => {
    const { hostname, port } = new URL(api.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('HELO there\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
  });
});
