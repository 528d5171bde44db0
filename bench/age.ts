import { sql } from 'kysely';

import { loadWindow } from '../src/consciousness/load-window.ts';
import { bytes, milliseconds, percentile, table, times, verdict } from './figures.ts';
import { makeAgent, type PhaseTimes } from './made-agent.ts';
import type { Bench } from './open-bench.ts';
import { openWal } from './wal.ts';

const AGES = [10, 100, 1_000, 5_000];
const WARM_UP = 5;
// About as many as lie between two compactions, so that each age is seen with a short and with a full memory.
const SAMPLES = 40;
const AIM = 1.3;

type Stage = { age: number; tokens: number; times: PhaseTimes; totalMs: number; bytes: number };

/** What a cycle costs beside the model as the agent grows old. */
export async function age(bench: Bench): Promise<string> {
  const { db } = bench.runtime;
  const wal = await openWal(db);
  const agent = await makeAgent(bench);
  const stages: Stage[] = [];
  for (const cycle of AGES) {
    await agent.age(cycle - WARM_UP);
    await sql`analyze`.execute(db); // as the autovacuum would, which the bench has switched off
    for (let index = 0; index < WARM_UP; index += 1) await agent.live();
    const mark = await wal.mark();
    const samples: PhaseTimes[] = [];
    while (samples.length < SAMPLES) samples.push(await agent.live());
    const written = await wal.since(mark);
    const { tokenEstimate } = await loadWindow(db, agent.agent.id);
    stages.push({ age: cycle, tokens: tokenEstimate, ...middle(samples), bytes: written.bytes / SAMPLES });
  }
  return report(stages);
}

function middle(samples: PhaseTimes[]): Pick<Stage, 'times' | 'totalMs'> {
  const of = (value: (sample: PhaseTimes) => number): number => percentile(samples.map(value), 0.5);
  const times = {
    claimMs: of((sample) => sample.claimMs),
    loadMs: of((sample) => sample.loadMs),
    commitMs: of((sample) => sample.commitMs),
    compactMs: samples.reduce((sum, sample) => sum + sample.compactMs, 0) / samples.length,
  };
  return { times, totalMs: of((sample) => sample.loadMs + sample.commitMs) };
}

function report(stages: Stage[]): string {
  const rows = stages.map((stage) => [
    String(stage.age),
    String(stage.tokens),
    milliseconds(stage.times.claimMs),
    milliseconds(stage.times.loadMs),
    milliseconds(stage.times.commitMs),
    milliseconds(stage.totalMs),
    milliseconds(stage.times.compactMs),
    bytes(stage.bytes),
  ]);
  const spread = (value: (stage: Stage) => number): number =>
    Math.max(...stages.map(value)) / Math.min(...stages.map(value));
  const [latency, written] = [spread((stage) => stage.totalMs), spread((stage) => stage.bytes)];
  const head = [
    'cycle',
    'memory tokens',
    'claim',
    'load',
    'commit',
    'load + commit',
    'compaction, mean',
    'Postgres WAL',
  ];
  return [
    `Cost of age, ${SAMPLES} cycles from the one named, median (limit 100,000 tokens)`,
    table([head, ...rows]),
    verdict(`load + commit flat within ${AIM}× (${times(latency)})`, latency <= AIM),
    verdict(`bytes written flat within ${AIM}× (${times(written)})`, written <= AIM),
  ].join('\n');
}
