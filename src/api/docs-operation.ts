import { resolveReference } from './docs-document.ts';
import type { Content, OpenApi, Operation, Parameter } from './docs-document.ts';
import { curlExample } from './docs-example.ts';
import { markup } from './docs-markup.ts';
import type { Html } from './docs-markup.ts';
import { renderSchema } from './docs-schema.ts';

/** One call of the API: method and path together name it. */
export type Call = { method: string; path: string; operation: Operation; shared: Parameter[] };

export function callAnchor({ method, path }: Call): string {
  return `${method}${path.replace(/[^\w-]+/g, '-')}`;
}

export function renderCall(document: OpenApi, call: Call): Html {
  const { method, path, operation, shared } = call;
  const parameters = [...shared, ...(operation.parameters ?? [])].flatMap(
    (parameter) => resolveReference(document, parameter) ?? [],
  );
  const body = operation.requestBody && resolveReference(document, operation.requestBody);

  return markup`<article id="${callAnchor(call)}">
<h3><span class="method">${method.toUpperCase()}</span><code>${path}</code></h3>
${operation.summary ? markup`<p>${operation.summary}</p>` : ''}
${operation.description ? markup`<p class="note">${operation.description}</p>` : ''}
${parameters.length > 0 ? markup`<h4>Parameters</h4><ul class="fields">${parameters.map(renderParameter)}</ul>` : ''}
${body ? markup`<h4>Body${body.required ? markup` <b>required</b>` : ''}</h4>${renderContent(body.content)}` : ''}
<h4>Answers</h4>
${Object.entries(operation.responses ?? {}).map(([status, given]) => {
  const answer = resolveReference(document, given) ?? {};
  // Open only what is hoped for; problems look alike everywhere.
  return markup`<details${status.startsWith('2') ? markup` open` : ''}><summary><code>${status}</code> ${answer.description}</summary>${renderContent(answer.content)}</details>`;
})}
<h4>Example</h4>
<pre tabindex="0">${curlExample(document, method, path, operation)}</pre>
</article>`;
}

function renderParameter(parameter: Parameter): Html {
  const { name, required, description, schema } = parameter;
  return markup`<li><code class="field">${name}</code> <span class="note">in ${parameter.in}</span>${required ? markup` <b>required</b>` : ''} ${renderSchema(schema)} ${description ? markup`<span class="note">${description}</span>` : ''}</li>`;
}

function renderContent(content: Content | undefined): Html[] {
  return Object.entries(content ?? {}).map(
    ([type, { schema }]) => markup`<div><span class="note">${type}</span> ${renderSchema(schema)}</div>`,
  );
}
