import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DOCS_CONTENT_SECURITY_POLICY, docsPage } from '../../src/api/docs-page.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Wakeful', version: '1', description: 'Agents that live on' },
  security: [{ key: [] }],
  tags: [{ name: 'Spaces', description: 'Rooms with members' }],
  paths: {
    '/healthz': { get: { summary: 'Is it alive?', security: [], responses: { 200: { description: 'It is' } } } },
    '/v1/spaces/{id}/messages': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      post: {
        tags: ['Spaces'],
        summary: 'Say something',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewMessage' } } },
        },
        responses: {
          201: {
            description: 'Said',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } },
          },
          404: { $ref: '#/components/responses/Missing' },
        },
      },
    },
    '/v1/spaces/{id}/events': {
      get: { tags: ['Spaces'], responses: { 200: { description: 'Live', content: { 'text/event-stream': {} } } } },
    },
  },
  components: {
    schemas: {
      NewMessage: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string', maxLength: 32768, example: "it's <b>bold</b>" },
          urgent: { type: 'boolean', default: false },
        },
      },
      Tree: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      },
    },
    responses: { Missing: { description: 'No such space' } },
  },
};

const page = docsPage(DOCUMENT);

describe('the docs page', () => {
  test('shows each call under its tag, with parameters, body and answers', () => {
    expect(page).toContain('<h2>Spaces</h2><p class="note">Rooms with members</p>');
    expect(page).toContain('<span class="method">POST</span><code>/v1/spaces/{id}/messages</code>');
    expect(page).toContain('<p>Say something</p>');
    expect(page).toContain('<code class="field">id</code> <span class="note">in path</span> <b>required</b>');
    expect(page).toContain('maxLength 32768');
    expect(page).toContain('<code>404</code> No such space');
    expect(page).toContain('<h2>Other</h2>');
  });

  test('links named schemas, and one that contains itself comes to an end', () => {
    expect(page).toContain('<a class="type" href="#schema-Tree">Tree</a>');
    expect(page.match(/id="schema-Tree"/g)).toHaveLength(1);
  });

  test('gives every call a curl that survives quotes, and the key only where one is needed', () => {
    expect(page).toContain('curl -N -X GET &quot;$WAKEFUL_URL/v1/spaces/&lt;id&gt;/events&quot;');
    expect(page).toContain(`-d '{"text":"it'\\''s <b>bold</b>"}'`.replace(/[&<>"']/g, entity));
    expect(page).toMatch(/curl -X GET &quot;\$WAKEFUL_URL\/healthz&quot;<\/pre>/);
  });

  test('escapes whatever the document says', () => {
    const attack = '"><script>alert(1)</script>';
    const hostile = docsPage({
      info: { title: attack, version: attack, description: attack },
      servers: [{ url: attack }],
      tags: [{ name: attack, description: attack }],
      paths: {
        [`/${attack}`]: {
          get: {
            tags: [attack],
            summary: attack,
            description: attack,
            parameters: [
              { name: attack, in: attack, description: attack, schema: { enum: [attack], default: attack } },
            ],
            requestBody: { content: { [attack]: { schema: { $ref: attack } } } },
            responses: { [attack]: { description: attack } },
          },
        },
      },
      components: { schemas: { [attack]: { type: attack, description: attack, properties: { [attack]: true } } } },
    });
    expect(hostile).not.toContain('<script');
    expect(hostile).not.toContain(attack);
    expect(hostile.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(15);
  });

  test('comes out of an empty document too', () => {
    expect(docsPage({})).toContain('<title>API</title>');
  });

  test('has one style, and the policy names its hash', () => {
    const styles = [...page.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style]) => style ?? '');
    expect(styles).toHaveLength(1);
    const hash = createHash('sha256')
      .update(styles[0] ?? '')
      .digest('base64');
    expect(DOCS_CONTENT_SECURITY_POLICY).toContain(`style-src 'sha256-${hash}'`);
    expect(page).not.toMatch(/ style=| on\w+=|<script/);
  });
});

function entity(character: string): string {
  return { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }[character] ?? character;
}
