import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { embedWaiting, type Renewal } from '../../src/recall/embed-waiting.ts';
import type { Embedder } from '../../src/recall/embedder.ts';
import type { Scope } from '../../src/recall/found.ts';
import { letterEmbedder } from '../../src/recall/letter-embedder.ts';
import { noEmbedder } from '../../src/recall/no-embedder.ts';
import { recall, type Recalled } from '../../src/recall/search.ts';
import { startEmbedding } from '../../src/recall/start-embedding.ts';
import { setMemories } from '../../src/memory/set-memories.ts';
import { startApi, type Organization, type TestApi } from '../support/api.ts';
import * as scene from '../support/recall-scene.ts';
import { FOREVER } from '../support/recall-scene.ts';
import { eventually } from '../support/world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const letters = letterEmbedder();
const agentOf = (organization: Organization): Promise<Scope> => scene.agentOf(api.runtime.db, organization.id);
const live = (scope: Scope, cycle: number, text: string): Promise<void> =>
  scene.live(api.runtime.db, scope, cycle, text);
const embedAll = (embedder: Embedder, from?: Renewal): Promise<void> => scene.embedAll(api.runtime.db, embedder, from);
const found = (items: Recalled[]): (number | string | null)[] => items.map((item) => item.cycle ?? item.key);

describe('recall', () => {
  test('finds a cycle by its words as soon as it is committed, and by its vector later', async () => {
    const scope = await agentOf(api.home);
    await live(scope, 1, 'The Rechnungsabteilung moved to the second floor');
    await live(scope, 2, 'Nothing of note');
    const ask = (query: string, mode: 'text' | 'vector' | 'both') =>
      recall(api.runtime.db, letters, { ...scope, query, limit: 5, mode });

    expect(await ask('second floor', 'text')).toMatchObject([
      { kind: 'cycle', cycle: 1, snippet: expect.stringContaining('second floor'), summary: 'Heard of it in 1.' },
    ]);
    expect(await ask('Rechnungsabteilungen', 'both')).toEqual([]);
    await embedAll(letters);
    expect(found(await ask('Rechnungsabteilungen', 'both'))[0]).toBe(1);
    expect(found(await ask('Rechnungsabteilungen', 'text'))).toEqual([]);
  });

  test('prefers rare words to common ones when no cycle has them all', async () => {
    const scope = await agentOf(api.home);
    for (let cycle = 1; cycle <= 20; cycle += 1) await live(scope, cycle, `The office in the old house, day ${cycle}`);
    await live(scope, 21, 'A heron stands in the pond');
    const items = await recall(api.runtime.db, noEmbedder(), { ...scope, query: 'heron office old house', limit: 3 });
    expect(items).toHaveLength(3);
    const rare = await recall(api.runtime.db, noEmbedder(), { ...scope, query: 'office heron', limit: 3 });
    expect(rare[0]?.cycle).toBe(21);
  });

  test('finds memories of the agent and of its organisation beside its cycles', async () => {
    const scope = await agentOf(await api.createOrganization('Harbour'));
    await live(scope, 1, 'The lighthouse keeper retires');
    await api.runtime.db.transaction().execute(async (trx) => {
      await setMemories(trx, scope, 'person', [{ key: 'lighthouse_code', value: 'It is 4471' }]);
      await setMemories(trx, { ...scope, agentId: null }, 'person', [
        { key: 'harbour', value: 'The lighthouse is ours' },
      ]);
    });
    await embedAll(letters);
    const items = await recall(api.runtime.db, letters, { ...scope, query: 'lighthouse', limit: 10 });
    expect(new Set(found(items))).toEqual(new Set([1, 'harbour', 'lighthouse_code']));
  });

  test('never finds what another agent or another organisation lived through', async () => {
    const [mine, sibling] = [await agentOf(api.home), await agentOf(api.home)];
    const stranger = await agentOf(await api.createOrganization('Elsewhere'));
    for (const [index, scope] of [mine, sibling, stranger].entries()) {
      await live(scope, index + 1, `The secret of the zeppelin, part ${index + 1}`);
    }
    await embedAll(letters);
    for (const mode of ['text', 'vector', 'both'] as const) {
      const items = await recall(api.runtime.db, letters, {
        ...mine,
        query: 'secret of the zeppelin',
        limit: 20,
        mode,
      });
      expect(found(items).filter((item) => typeof item === 'number')).toEqual([1]);
      const crossed = { orgId: stranger.orgId, agentId: mine.agentId };
      expect(await recall(api.runtime.db, letters, { ...crossed, query: 'zeppelin', limit: 20, mode })).toEqual([]);
    }
  });

  test('looks only at cycles before the one that is named', async () => {
    const scope = await agentOf(api.home);
    for (const cycle of [1, 2, 3]) await live(scope, cycle, `The yak, part ${cycle}`);
    await embedAll(letters);
    for (const mode of ['text', 'vector', 'both'] as const) {
      const items = await recall(api.runtime.db, letters, { ...scope, before: 3, query: 'yak', limit: 5, mode });
      expect(new Set(found(items))).toEqual(new Set([1, 2]));
    }
  });

  test('finds by words when the embedder fails or does not answer', { timeout: 20_000 }, async () => {
    const scope = await agentOf(api.home);
    await live(scope, 1, 'The walrus sleeps');
    const failing = { ...letters, embed: () => Promise.reject(new Error('no network')) };
    const silent = { ...letters, embed: () => new Promise<number[][]>(() => undefined) };
    for (const embedder of [failing, silent]) {
      expect(found(await recall(api.runtime.db, embedder, { ...scope, query: 'walrus', limit: 5 }))).toEqual([1]);
    }
  });
});

describe('embedding', () => {
  test('is shared by workers, each row once', async () => {
    const scope = await agentOf(api.home);
    for (let cycle = 1; cycle <= 12; cycle += 1) await live(scope, cycle, `Cycle ${cycle} and its story`);
    await embedAll(letters); // what other tests left
    await api.runtime.db
      .updateTable('cycle_texts')
      .set({ embedding: null })
      .where('agent_id', '=', scope.agentId)
      .execute();
    let asked = 0;
    const slow: Embedder = {
      ...letters,
      batch: 5,
      async embed(texts) {
        asked += texts.filter((text) => text.includes('and its story')).length;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return letters.embed(texts);
      },
    };
    const counts = await Promise.all([1, 2, 3].map(() => embedWaiting(api.runtime.db, slow, undefined, FOREVER)));
    expect(counts.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([2, 5, 5]);
    expect(asked).toBe(12);
  });

  test('leaves the rows waiting when the embedder fails', async () => {
    const scope = await agentOf(api.home);
    await embedAll(letters);
    await live(scope, 1, 'Waiting for a vector');
    const failing = { ...letters, embed: () => Promise.reject(new Error('503')) };
    await expect(embedWaiting(api.runtime.db, failing, undefined, FOREVER)).rejects.toThrow('503');
    expect((await embedWaiting(api.runtime.db, letters, undefined, FOREVER)).count).toBe(1);
  });

  test('is renewed when another embedder takes over', async () => {
    const scope = await agentOf(api.home);
    for (const cycle of [1, 2, 3]) await live(scope, cycle, `The ocelot, chapter ${cycle}`);
    await api.runtime.db
      .transaction()
      .execute((trx) => setMemories(trx, scope, 'person', [{ key: 'pet', value: 'One ocelot' }]));
    await embedAll(letters);
    const other = { ...letters, name: 'local:other', batch: 2 };
    const ask = () => recall(api.runtime.db, other, { ...scope, query: 'ocelots', limit: 5, mode: 'vector' });
    expect(found(await ask())).toEqual([]);
    await embedAll(other, { afterAgent: '00000000-0000-0000-0000-000000000000', afterCycle: 0 });
    expect(new Set(found(await ask()))).toEqual(new Set([1, 2, 3, 'pet']));
  });
});

describe('the embedding job', () => {
  test('says in the log that it fails, goes on trying, and ends when told to', async () => {
    const scope = await agentOf(api.home);
    await live(scope, 1, 'A row for the job');
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    let failures = 2;
    const shaky: Embedder = {
      ...letters,
      embed: (texts) => (failures-- > 0 ? Promise.reject(new Error('overloaded')) : letters.embed(texts)),
    };
    const stop = startEmbedding({ db: api.runtime.db, embedder: shaky, log }, 10);
    await eventually('the row has its vector', 5_000, async () => {
      const query = api.runtime.db
        .selectFrom('cycle_texts')
        .select('embedding_model')
        .where('agent_id', '=', scope.agentId);
      return (await query.executeTakeFirstOrThrow()).embedding_model === letters.name;
    });
    await stop();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('overloaded');
  });

  test('ends at once in the middle of a slow embedding, and the row waits for the next worker', async () => {
    await embedAll(letters);
    const scope = await agentOf(api.home);
    await live(scope, 1, 'A row for later');
    let began = false;
    const slow: Embedder = {
      ...letters,
      embed: (_texts, signal) => {
        began = true;
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    };
    const stop = startEmbedding({ db: api.runtime.db, embedder: slow, log: pino({ level: 'silent' }) }, 10);
    await eventually('the embedding began', 5_000, async () => began);
    await stop();
    expect((await embedWaiting(api.runtime.db, letters, undefined, FOREVER)).count).toBe(1);
  });
});
