import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadAgent } from '../../src/agents/load-agent.ts';
import { beginRun } from '../../src/cycle/begin-run.ts';
import { newId } from '../../src/db/id.ts';
import { startApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a retried run is shown the same passing memories, whatever has changed since', async () => {
  const { db } = api.runtime;
  const body = { name: 'Ada', instructions: 'Be kind.' };
  const { id: agentId } = (await api.call<{ id: string }>('POST', '/v1/agents', { body })).body;
  const event = { id: newId(), org_id: api.home.id, agent_id: agentId, type: 'service' as const, payload: '{}' };
  await db.insertInto('inbox_events').values(event).execute();
  const agent = (await loadAgent(db, agentId))!;
  const runId = newId();
  const begin = (words: string) =>
    beginRun(db, {
      agent,
      runId,
      compose: () =>
        Promise.resolve({
          model: 'test:default',
          instructions: 'You are Ada.',
          inboxMessage: { role: 'user', content: 'INBOX' },
          volatileMessage: { role: 'user', content: words },
        }),
    });
  for (const [words, fence] of [
    ['first', 1],
    ['second', 2],
  ] as const) {
    expect(await begin(words)).toMatchObject({ kind: 'run', run: { fence, volatileMessage: { content: 'first' } } });
  }
});
