import express from 'express';
import type { Response, Router } from 'express';

// The page runs its own scripts and styles and talks to its own server: what a message says can do nothing more.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Wakeful</title>
<h1>The console page is not built</h1>
<p>The API is running. To get the page, install the development packages and start again: <code>npm ci &amp;&amp; npm start</code>.</p>
<p>The API is described at <a href="/docs">/docs</a>.</p>
`;

/** Serves the built console page from `folder`; without one, a page that says how to build it. The rest falls through. */
export function consoleRoutes(folder: string | undefined): Router {
  const router = express.Router();

  router.get('/', (_request, response, next) => {
    setPageHeaders(response);
    // Never kept: a page from yesterday would ask for asset files that a new build has replaced.
    response.set('Cache-Control', 'no-store');
    if (folder === undefined) {
      response.status(503).type('html').send(NOT_BUILT);
      return;
    }
    response.sendFile(
      'index.html',
      { root: folder, cacheControl: false, etag: false, lastModified: false },
      (fault) => {
        if (fault && !response.headersSent) next(fault);
      },
    );
  });

  if (folder === undefined) return router;

  const options = { index: false, redirect: false, setHeaders: setPageHeaders } as const;
  // Vite puts a hash of the content into these names, so a name never changes its content.
  router.use('/assets', express.static(`${folder}/assets`, { ...options, immutable: true, maxAge: '365d' }));
  router.get('/favicon.svg', express.static(folder, { ...options, maxAge: '1h' }));
  return router;
}

function setPageHeaders(response: Response): void {
  response.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
}
