import type { Schema } from './docs-document.ts';
import { markup } from './docs-markup.ts';
import type { Html } from './docs-markup.ts';

const LIMITS = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** A schema as nested lists. A `$ref` becomes a link, so a type that contains itself comes to an end. */
export function renderSchema(schema: Schema | boolean | undefined): Html {
  if (schema === undefined || schema === true) return markup`<span class="type">anything</span>`;
  if (schema === false) return markup`<span class="type">nothing</span>`;
  if (schema.$ref !== undefined) return renderLink(schema.$ref);

  const choices = schema.anyOf ?? schema.oneOf;
  return markup`${renderHead(schema)}
  ${schema.description ? markup`<span class="note">${schema.description}</span>` : ''}
  ${renderProperties(schema)}
  ${schema.items === undefined ? '' : renderList('each', [schema.items])}
  ${typeof schema.additionalProperties === 'object' ? renderList('any other field', [schema.additionalProperties]) : ''}
  ${choices ? renderList('one of', choices) : ''}
  ${schema.allOf ? renderList('all of', schema.allOf) : ''}`;
}

/** The id under which the page shows a named schema. */
export function schemaAnchor(name: string): string {
  return `schema-${name.replace(/[^\w.-]/g, '-')}`;
}

function renderLink(reference: string): Html {
  const name = reference.split('/').at(-1) ?? reference;
  if (!reference.startsWith('#/components/schemas/')) return markup`<code class="type">${reference}</code>`;
  return markup`<a class="type" href="#${schemaAnchor(name)}">${name}</a>`;
}

function renderHead(schema: Schema): Html {
  const limits = LIMITS.filter((name) => schema[name] !== undefined).map((name) => `${name} ${schema[name]}`);
  return markup`<span class="type">${typeName(schema)}</span>
  ${limits.length > 0 ? markup`<span class="limits">${limits.join(', ')}</span>` : ''}
  ${schema.default === undefined ? '' : markup`<span class="limits">default <code>${JSON.stringify(schema.default)}</code></span>`}`;
}

function typeName(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type) return [schema.type].flat().join(' | ');
  if (schema.properties) return 'object';
  return schema.anyOf || schema.oneOf || schema.allOf ? '' : 'anything';
}

function renderProperties(schema: Schema): Html | string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return '';
  return markup`<ul class="fields">${properties.map(
    ([name, property]) =>
      markup`<li><code class="field">${name}</code>${schema.required?.includes(name) ? markup` <b>required</b>` : ''} ${renderSchema(property)}</li>`,
  )}</ul>`;
}

function renderList(title: string, schemas: readonly (Schema | boolean)[]): Html {
  const entries = schemas.map((schema) => markup`<li><span class="note">${title}</span> ${renderSchema(schema)}</li>`);
  return markup`<ul class="fields">${entries}</ul>`;
}
