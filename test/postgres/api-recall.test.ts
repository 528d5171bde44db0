import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Scope } from '../../src/recall/found.ts';
import { letterEmbedder } from '../../src/recall/letter-embedder.ts';
import type { Recalled } from '../../src/recall/search.ts';
import { recallTool } from '../../src/tools/recall.ts';
import { startApi, type Organization, type TestApi } from '../support/api.ts';
import * as scene from '../support/recall-scene.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Answer = { items: Recalled[]; embedder: string; next: null };
type Problem = { status: number; errors?: { path: string }[] };

const letters = letterEmbedder();
const agentOf = (organization: Organization): Promise<Scope> => scene.agentOf(api.runtime.db, organization.id);
const live = (scope: Scope, cycle: number, text: string): Promise<void> =>
  scene.live(api.runtime.db, scope, cycle, text);

describe('over HTTP', () => {
  test('recall answers what was found and names the embedder', async () => {
    const scope = await agentOf(api.home);
    await live(scope, 1, 'The orchid needs little water');
    const path = `/v1/agents/${scope.agentId}/recall?q=${encodeURIComponent('orchid water')}&limit=5`;
    const { status, body } = await api.call<Answer>('GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ items: [{ cycle: 1, kind: 'cycle' }], embedder: 'local:letters', next: null });
  });

  test.each([
    ['of SQL', "' or 1=1 --"],
    ['of search operators', ':*&|!()'],
    ['with an open phrase', '"unclosed phrase -minus or <-> \\'],
    ['of quotes and backslashes', "\\' \\\\ '' ''' $1 ${x} %s"],
    ['of emoji', '😀🎉'],
    ['of control characters', '\u0001\u0007 control'],
    ['of stop words', 'the of and'],
    ['in a script without spaces', '日本語の質問'],
    ['of many words', 'word '.repeat(400)],
    ['of one long word', 'a'.repeat(2_000)],
    ['of addresses and numbers', 'https://example.com/a?b=c&d=e#f user@example.com 1e400 -0'],
  ])('a query %s is only a query', async (_name, query) => {
    const scope = await agentOf(api.home);
    await live(scope, 1, `Someone asked: ${query}`);
    await scene.embedAll(api.runtime.db, letters);
    const path = `/v1/agents/${scope.agentId}/recall?q=${encodeURIComponent(query)}`;
    const { status, body } = await api.call<Answer>('GET', path);
    expect(status, JSON.stringify(body)).toBe(200);
  });

  test.each([
    ['an empty query', 'q='],
    ['a blank query', 'q=%20%09'],
    ['no query', ''],
    ['a query of 10 KB', `q=${'x'.repeat(10_240)}`],
    ['a query with U+0000', 'q=%00'],
    ['a limit of zero', 'q=a&limit=0'],
    ['a limit beyond the largest', 'q=a&limit=51'],
    ['two queries', 'q=a&q=b'],
  ])('%s is refused in words', async (_name, query) => {
    const { agentId } = await agentOf(api.home);
    const { status, body } = await api.call<Problem>('GET', `/v1/agents/${agentId}/recall?${query}`);
    expect(status).toBe(422);
    expect(body.errors).not.toEqual([]);
  });

  test('an agent of another organisation is not found, and nobody searches without a key', async () => {
    const { agentId } = await agentOf(api.home);
    const other = await api.createOrganization('Curious');
    expect((await api.call('GET', `/v1/agents/${agentId}/recall?q=x`, { key: other.key })).status).toBe(404);
    expect((await api.call('GET', `/v1/agents/${agentId}/recall?q=x`, { key: '' })).status).toBe(401);
  });
});

describe('the recall tool', () => {
  const use = (scope: Scope, input: object) =>
    api.runtime.db.transaction().execute((trx) => {
      const tool = recallTool(letters);
      const agent = { id: scope.agentId, name: 'Ada' };
      const context = { trx, orgId: scope.orgId, agent, runId: '', draft: undefined, longestOutput: 50_000 };
      return tool.run({ ...context, afterCommit: () => undefined }, tool.inputSchema.parse(input));
    });

  test('lists what was found with cycle and date, and says so when there is nothing', async () => {
    const scope = await agentOf(api.home);
    await live(scope, 1, 'The ferry leaves at nine');
    expect(await use(scope, { query: 'ferry' })).toEqual({
      count: 1,
      found: [
        { cycle: 1, date: expect.any(String), text: 'Ana: The ferry leaves at nine', summary: 'Heard of it in 1.' },
      ],
    });
    expect(await use(scope, { query: 'submarine' })).toEqual({ count: 0, found: [] });
  });

  test('reads one cycle of its own in full, bounded, and nobody else’s', async () => {
    const [scope, other] = [await agentOf(api.home), await agentOf(api.home)];
    const message = { role: 'assistant', content: `Long story. ${'word '.repeat(20_000)}` };
    const row = {
      agent_id: scope.agentId,
      seq: 1,
      org_id: scope.orgId,
      cycle: 4,
      kind: 'response' as const,
      tokens: 1,
    };
    await api.runtime.db
      .insertInto('consciousness_messages')
      .values({ ...row, message: JSON.stringify(message) })
      .execute();
    const read = (await use(scope, { cycle: 4 })) as { cycle: number; text: string };
    expect(read.cycle).toBe(4);
    expect(read.text.startsWith('Long story.')).toBe(true);
    expect(read.text.length).toBeLessThanOrEqual(30_000);
    await expect(use(other, { cycle: 4 })).rejects.toThrow('you have no cycle 4');
    await expect(use(scope, { query: '  ' })).rejects.toThrow('say what you look for');
  });
});
