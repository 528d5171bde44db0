import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readConfig } from '../src/config.ts';
import { newId } from '../src/db/id.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase, type Db } from '../src/db/open-database.ts';
import { embedWaiting } from '../src/recall/embed-waiting.ts';
import { createEmbedder, type Embedder } from '../src/recall/embedder.ts';
import type { Scope } from '../src/recall/found.ts';
import { recall, type SearchMode } from '../src/recall/search.ts';
import { writeCycleText } from '../src/recall/write-cycle-text.ts';
import { Closers } from '../src/stack/closers.ts';
import { startPostgres } from '../src/stack/start-postgres.ts';
import { milliseconds, percentile, table, verdict } from './figures.ts';
import { describeMachine } from './machine.ts';
import { makeCorpus, type Corpus } from './recall-corpus.ts';

const CYCLES = 2_000;
const SEED = 7;
const MODES: Record<string, SearchMode> = { text: 'text', vectors: 'vector', both: 'both' };

/** `npm run bench:recall`: how much of what an agent lived through it finds again, and how fast. */
async function main(): Promise<void> {
  console.log(`Wakeful recall bench\n${describeMachine()}`);
  const closers = new Closers();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'wakeful-recall-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const embedder = sparing(createEmbedder(readConfig(process.env, folder)));
    closers.push(() => embedder.close());
    const server = await startPostgres({ dataDir: folder, progress: () => undefined, usualPort: 0 });
    closers.push(() => server.stop());
    const database = openDatabase(server.url);
    closers.push(() => database.close());
    await migrate(database);
    await measure(database.db, embedder);
  } finally {
    await closers.close();
  }
}

async function measure(db: Db, embedder: Embedder): Promise<void> {
  const corpus = makeCorpus(CYCLES, SEED);
  const scope = await makeAgent(db);
  await store(db, scope, corpus);
  console.log(`embedder ${embedder.name} (${embedder.note})`);
  const took = await embedAll(db, embedder);
  console.log(`${CYCLES} cycles, ${corpus.questions.length} questions, embedded in ${took.toFixed(0)} s\n`);

  const results = new Map<string, Result>();
  for (const [name, mode] of Object.entries(MODES)) results.set(name, await ask(db, embedder, scope, corpus, mode));
  console.log(report(results));
}

async function makeAgent(db: Db): Promise<Scope> {
  const [orgId, agentId] = [newId(), newId()];
  await db.insertInto('organizations').values({ id: orgId, name: 'Bench' }).execute();
  await db.insertInto('entities').values({ id: agentId, org_id: orgId, kind: 'agent', name: 'Ada' }).execute();
  await db.insertInto('agents').values({ id: agentId, org_id: orgId, instructions: 'Live.', settings: '{}' }).execute();
  return { orgId, agentId };
}

async function store(db: Db, scope: Scope, { cycles }: Corpus): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const [index, messages] of cycles.entries())
      await writeCycleText(trx, { ...scope, cycle: index + 1, messages });
  });
}

async function embedAll(db: Db, embedder: Embedder): Promise<number> {
  const started = performance.now();
  const signal = new AbortController().signal;
  while (embedder.name !== 'none' && (await embedWaiting(db, embedder, undefined, signal)).count > 0);
  return (performance.now() - started) / 1_000;
}

type Result = { first: Map<string, number>; five: Map<string, number>; asked: Map<string, number>; times: number[] };

async function ask(db: Db, embedder: Embedder, scope: Scope, corpus: Corpus, mode: SearchMode): Promise<Result> {
  const result: Result = { first: new Map(), five: new Map(), asked: new Map(), times: [] };
  await recall(db, embedder, { ...scope, query: 'a first question that nobody counts', limit: 5, mode });
  for (const { kind, text, cycle } of corpus.questions) {
    const started = performance.now();
    const found = await recall(db, embedder, { ...scope, query: text, limit: 5, mode });
    result.times.push(performance.now() - started);
    for (const group of [kind, 'all']) {
      count(result.asked, group, true);
      count(result.first, group, found[0]?.cycle === cycle);
      count(
        result.five,
        group,
        found.some((item) => item.cycle === cycle),
      );
    }
  }
  return result;
}

function count(counts: Map<string, number>, group: string, holds: boolean): void {
  counts.set(group, (counts.get(group) ?? 0) + (holds ? 1 : 0));
}

function report(results: Map<string, Result>): string {
  const groups = ['shares words', 'names and numbers', 'paraphrased', 'all'];
  const share = (counts: Map<string, number>, asked: Map<string, number>, group: string): string =>
    `${Math.round((100 * (counts.get(group) ?? 0)) / (asked.get(group) ?? 1))} %`;
  const rows = [...results].map(([name, { first, five, asked, times }]) => [
    name,
    ...groups.map((group) => `${share(first, asked, group)} / ${share(five, asked, group)}`),
    milliseconds(percentile(times, 0.5)),
    milliseconds(percentile(times, 0.95)),
  ]);
  const five = (name: string): number => results.get(name)?.five.get('all') ?? 0;
  return [
    'Answer found first / among the first five, and the time of a search with its embedding',
    table([['search', ...groups, 'median', '95 %'], ...rows]),
    verdict(
      `recall@5 of both together at least that of the better one (${five('both')} of ${five('text')} and ${five('vectors')})`,
      five('both') >= Math.max(five('text'), five('vectors')),
    ),
  ].join('\n');
}

/** The corpus repeats its small talk: what was embedded once is not computed again. A question always is. */
function sparing(embedder: Embedder): Embedder {
  const known = new Map<string, number[]>();
  return {
    ...embedder,
    async embed(texts, signal) {
      const isQuestion = texts.length === 1 && texts[0]!.endsWith('?');
      const fresh = [...new Set(texts.filter((text) => isQuestion || !known.has(text)))];
      const vectors = fresh.length === 0 ? [] : await embedder.embed(fresh, signal);
      for (const [index, text] of fresh.entries()) known.set(text, vectors[index] ?? []);
      return texts.map((text) => known.get(text)!);
    },
  };
}

await main();
