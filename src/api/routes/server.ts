import { sql } from 'kysely';
import { z } from 'zod';

import { AppError, errorMessage } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import { readRoute } from '../route.ts';

const PATIENCE_MS = 2_000;

const ok = z.literal('ok');

export const serverRoutes = [
  readRoute({
    path: '/healthz',
    tag: 'Server',
    summary: 'Whether this process is up',
    access: 'anyone',
    answer: z.strictObject({ status: ok }),
    handle: () => Promise.resolve({ status: 'ok' as const }),
  }),
  readRoute({
    path: '/readyz',
    tag: 'Server',
    summary: 'Whether this process can serve requests',
    description: '503 names the part that does not answer.',
    access: 'anyone',
    answer: z.strictObject({ status: ok, postgres: ok, temporal: ok }),
    async handle({ runtime }) {
      const faults = await Promise.all([askPostgres(runtime), askTemporal(runtime)]);
      const found = faults.filter((fault) => fault !== undefined);
      if (found.length > 0) throw new AppError('unavailable', `${found.join(' and ')} within ${PATIENCE_MS} ms`);
      return { status: 'ok' as const, postgres: 'ok' as const, temporal: 'ok' as const };
    },
  }),
];

async function askPostgres({ db, log }: Runtime): Promise<string | undefined> {
  return sentence('Postgres', sql`select 1`.execute(db), log);
}

async function askTemporal({ client, log }: Runtime): Promise<string | undefined> {
  const { connection } = client;
  const answer = connection.withDeadline(Date.now() + PATIENCE_MS, () => connection.workflowService.getSystemInfo({}));
  return sentence('Temporal', answer, log);
}

/** Undefined when it answered in time. Its own words go to the log: they may name hosts that a stranger need not know. */
async function sentence(name: string, answer: Promise<unknown>, log: Runtime['log']): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(reject, PATIENCE_MS, new Error('no answer in time'));
  });
  try {
    await Promise.race([answer, late]);
    return undefined;
  } catch (error) {
    log.warn({ part: name, error: errorMessage(error) }, 'not ready');
    return `${name} does not answer`;
  } finally {
    clearTimeout(timer);
  }
}
