import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleRoutes } from '../../src/api/console.ts';
import { ensureConsole } from '../../src/web/build.ts';

const closers: (() => Promise<void>)[] = [];
let folder: string;

beforeAll(async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'wakeful-console-'));
  closers.push(() => rm(temporary, { recursive: true, force: true }));
  folder = join(temporary, 'web');
  expect(await ensureConsole({ outDir: folder })).toBe(folder);
}, 60_000);

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function serve(served: string | undefined): Promise<string> {
  const app = express();
  app.use(consoleRoutes(served));
  app.use((_request, response) => void response.status(404).send('fell through'));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the console', () => {
  test('is served with a policy that lets nothing foreign run, and is never cached', async () => {
    const response = await fetch(await serve(folder));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).not.toMatch(/<script(?![^>]+src=)|<style| on\w+=/);
  });

  test('serves its hashed files for a year and its icon, and nothing else', async () => {
    const url = await serve(folder);
    for (const asset of await readdir(join(folder, 'assets'))) {
      const response = await fetch(`${url}/assets/${asset}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    expect((await fetch(`${url}/favicon.svg`)).headers.get('content-type')).toBe('image/svg+xml');
    const others = [
      '/index.html',
      '/assets',
      '/assets/',
      '/assets/none.js',
      '/.source-hash',
      '/assets/..%2findex.html',
    ];
    for (const path of others) {
      const response = await fetch(url + path);
      expect([response.status, path]).toEqual([404, path]);
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });

  test('bundles the production build of React, whatever NODE_ENV is here', async () => {
    const scripts = (await readdir(join(folder, 'assets'))).filter((name) => name.endsWith('.js'));
    const sizes = await Promise.all(scripts.map(async (name) => (await stat(join(folder, 'assets', name))).size));
    expect(Math.max(...sizes)).toBeLessThan(400_000); // the development build has about 1 MB
  });

  test('is not built again while its sources stay the same', async () => {
    const built = (await stat(join(folder, 'index.html'))).mtimeMs;
    await ensureConsole({ outDir: folder });
    expect((await stat(join(folder, 'index.html'))).mtimeMs).toBe(built);
  });

  test('says how to build it when it is not there', async () => {
    const response = await fetch(await serve(undefined));
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm ci');
  });
});
