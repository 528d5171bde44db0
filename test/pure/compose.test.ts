import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { VARIABLE_NAMES } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

type Service = {
  image?: string;
  build?: object;
  command?: string[];
  container_name?: string;
  environment?: Record<string, string>;
  ports?: { host_ip?: string; published?: string }[];
  healthcheck?: { test?: string[]; disable?: boolean };
  restart?: string;
  depends_on?: Record<string, { condition: string }>;
};

const SECRETS = { POSTGRES_PASSWORD: 'a-password', WAKEFUL_API_KEY: 'a-key-of-sixteen-characters' };

/** `docker compose config` on this environment alone, without a developer's own `.env`. */
function compose(environment: Record<string, string>) {
  const { PATH = '', HOME = '', DOCKER_CONFIG = '' } = process.env;
  return spawnSync(
    'docker',
    ['compose', '--env-file', '/dev/null', '-f', 'docker-compose.yml', 'config', '--format', 'json'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: { PATH, HOME, ...(DOCKER_CONFIG !== '' && { DOCKER_CONFIG }), ...environment },
    },
  );
}

const installed = spawnSync('docker', ['compose', 'version']).status === 0;

describe.skipIf(!installed)('docker compose', () => {
  const services = (): Record<string, Service> => {
    const { status, stdout, stderr } = compose(SECRETS);
    if (status !== 0) throw new Error(`docker compose config refuses docker-compose.yml: ${stderr}`);
    return (JSON.parse(stdout) as { services: Record<string, Service> }).services;
  };

  test('accepts the file and finds every part', () => {
    const found = Object.keys(services()).toSorted();
    expect(found).toEqual([
      'api',
      'migrate',
      'postgres',
      'temporal',
      'temporal-namespace',
      'temporal-schema',
      'temporal-ui',
      'worker',
    ]);
  });

  test.each(Object.keys(SECRETS))('refuses to start without %s and says where to put it', (name) => {
    const { status, stderr } = compose({ ...SECRETS, [name]: '' });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(new RegExp(`${name}.*into .env`));
  });

  test('a service is either watched by a health check or ends by itself', () => {
    const found = Object.entries(services());
    const once = found.filter(([, service]) => service.restart?.startsWith('on-failure') === true);
    const watched = found.filter(([, service]) => service.healthcheck?.test !== undefined);
    expect(once.map(([name]) => name)).toEqual(['migrate', 'temporal-namespace', 'temporal-schema']);
    expect(watched.map(([name]) => name)).toEqual(['api', 'postgres', 'temporal', 'temporal-ui', 'worker']);
  });

  test('workers can be multiplied: they have no port and no fixed name', () => {
    const { worker, api } = services();
    expect(worker).toMatchObject({ command: ['node', 'src/worker.ts'], image: api?.image });
    expect(worker?.ports).toBeUndefined();
    expect(worker?.container_name).toBeUndefined();
  });

  test('API and workers wait for the tables and for the namespace', () => {
    const { worker, api } = services();
    for (const service of [worker, api]) {
      expect(service?.depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        'temporal-namespace': { condition: 'service_completed_successfully' },
      });
    }
  });

  test('what is published is published to this machine only', () => {
    const ports = Object.values(services()).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(0);
    expect(new Set(ports.map((port) => port.host_ip))).toEqual(new Set(['127.0.0.1']));
  });

  test('Wakeful is given no variable that it does not read', () => {
    // PGPASSWORD is read by the Postgres driver itself.
    const known = new Set<string>([...VARIABLE_NAMES, 'PGPASSWORD']);
    const { worker, api, migrate } = services();
    for (const service of [worker, api, migrate]) {
      expect(Object.keys(service?.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
    }
  });
});

test('every image is pinned to a version', () => {
  const images = [...text.matchAll(/^ +image: (?:&\S+ )?([^*\s]\S*)$/gm)].map((match) => match[1]!);
  const foreign = images.filter((image) => image !== 'wakeful');
  expect(foreign.length).toBeGreaterThanOrEqual(4);
  for (const image of [...foreign, ...dockerImages()]) expect(image).toMatch(/^[\w./-]+:\d+\.\d+\.\d+/);
});

test('every file that the image copies or runs is there', () => {
  const ran = [...`${text}\n${dockerfile}`.matchAll(/\b(?:src|workflows|activities)\/[\w/-]+\.ts\b/g)].map(
    ([path]) => path,
  );
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => match[1]!.split(' '));
  expect(ran).toContain('src/server.ts');
  expect([...new Set([...ran, ...copied])].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the image does not run as root', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  expect(last).toMatch(/^USER node$/m);
  expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('\nCMD '));
});

test('no key, data or build of this machine reaches the image', () => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(ignored[0]).toBe('*');
  const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  expect(allowed.toSorted()).toEqual(['.npmrc', 'activities', 'package-lock.json', 'package.json', 'src', 'workflows']);
});

function dockerImages(): string[] {
  return [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]!).filter((image) => image !== 'base');
}

test('the compose file passes every variable on, but for those that its own services decide', () => {
  // Where the image listens and keeps things, how the stack's own Temporal is reached, a file that must be mounted first,
  // and what only tests set.
  const decided = ['HOST', 'TEMPORAL_API_KEY', 'TEMPORAL_TLS', 'WAKEFUL_DATA_DIR', 'XDG_CACHE_HOME'];
  const left = [...decided, 'WAKEFUL_PRICES_FILE', 'WAKEFUL_CRASH_POINT'];
  expect(VARIABLE_NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual(left);
});
