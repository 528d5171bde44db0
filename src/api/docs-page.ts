import { createHash } from 'node:crypto';
import type { OpenApi, Operation, Parameter } from './docs-document.ts';
import { markup } from './docs-markup.ts';
import type { Html } from './docs-markup.ts';
import { callAnchor, renderCall } from './docs-operation.ts';
import type { Call } from './docs-operation.ts';
import { renderSchema, schemaAnchor } from './docs-schema.ts';
import { DOCS_STYLE } from './docs-style.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const UNTAGGED = 'Other';

/** Header for the page: no scripts at all, and no style but the one inside it. */
export const DOCS_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** An OpenAPI 3.1 document as one page that needs no script and no internet. */
export function docsPage(openapi: unknown): string {
  const document = openapi as OpenApi;
  const title = document.info?.title ?? 'API';
  const sections = callsByTag(document);
  const schemas = Object.entries(document.components?.schemas ?? {});

  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${{ html: DOCS_STYLE }}</style>
</head>
<body>
<nav aria-label="Calls">
<a class="home" href="/">${title}</a>
${[...sections].map(
  ([tag, calls]) =>
    markup`<h2>${tag}</h2>${calls.map(
      (call) =>
        markup`<a href="#${callAnchor(call)}"><span class="method">${call.method.toUpperCase()}</span> ${call.path}</a>`,
    )}`,
)}
${schemas.length > 0 ? markup`<h2><a href="#schemas">Schemas</a></h2>` : ''}
</nav>
<main>
<h1>${title} <span class="note">${document.info?.version}</span></h1>
${document.info?.description ? markup`<p>${document.info.description}</p>` : ''}
<p>The same as JSON: <a class="type" href="/openapi.json">/openapi.json</a>. The examples expect two variables:</p>
<pre tabindex="0">export WAKEFUL_URL=${document.servers?.[0]?.url ?? 'http://127.0.0.1:3000'}
export WAKEFUL_API_KEY=&lt;your key&gt;</pre>
${[...sections].map(([tag, calls]) => renderSection(document, tag, calls))}
${
  schemas.length > 0
    ? markup`<section id="schemas"><h2>Schemas</h2>${schemas.map(
        ([name, schema]) =>
          markup`<article id="${schemaAnchor(name)}"><h3>${name}</h3>${renderSchema(schema)}</article>`,
      )}</section>`
    : ''
}
</main>
</body>
</html>
`.html;
}

function renderSection(document: OpenApi, tag: string, calls: Call[]): Html {
  const description = document.tags?.find(({ name }) => name === tag)?.description;
  return markup`<section><h2>${tag}</h2>${description ? markup`<p class="note">${description}</p>` : ''}
${calls.map((call) => renderCall(document, call))}</section>`;
}

/** Sections in the order the document declares its tags, then in the order they turn up. */
function callsByTag(document: OpenApi): Map<string, Call[]> {
  const sections = new Map<string, Call[]>((document.tags ?? []).map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (!operation) continue;
      const tag = operation.tags?.[0] ?? UNTAGGED;
      const call = { method, path, operation, shared: (item['parameters'] as Parameter[] | undefined) ?? [] };
      sections.set(tag, [...(sections.get(tag) ?? []), call]);
    }
  }
  return new Map([...sections].filter(([, calls]) => calls.length > 0));
}
