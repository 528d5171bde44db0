import { DOCS_CONTENT_SECURITY_POLICY, docsPage } from '../docs-page.ts';
import { openApi } from '../openapi.ts';
import { rawRoute, type Route } from '../route.ts';

/** The document and its page, made from the other routes. They list themselves too. */
export function docsRoutes(others: Route[]): Route[] {
  const routes: Route[] = [
    rawRoute({
      path: '/openapi.json',
      tag: 'Server',
      summary: 'This API as an OpenAPI 3.1 document',
      access: 'anyone',
      mediaType: 'application/json',
      handle: ({ response }) => {
        response.type('application/json').send(document());
        return Promise.resolve();
      },
    }),
    rawRoute({
      path: '/docs',
      tag: 'Server',
      summary: 'This API as a page',
      access: 'anyone',
      mediaType: 'text/html',
      handle: ({ response }) => {
        response.set('Content-Security-Policy', DOCS_CONTENT_SECURITY_POLICY);
        response.type('text/html').send(page());
        return Promise.resolve();
      },
    }),
  ];
  const document = once(() => JSON.stringify(openApi([...others, ...routes])));
  const page = once(() => docsPage(JSON.parse(document())));
  return routes;
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
