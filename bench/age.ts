import { sql } from 'kysely';

import { bytes, milliseconds, percentile, table, times, verdict } from './figures.ts';
import { makeAgent, type MadeAgent, type LivedCycle } from './made-agent.ts';
import type { Bench } from './open-bench.ts';
import { openWal } from './wal.ts';

const AGES = [10, 100, 1_000, 5_000];
const WARM_UP = 5;
// About as many as lie between two compactions, so that each age is seen with a short and with a full memory.
const SAMPLES = 40;
const AIM = 1.3;

type Sample = LivedCycle & { bytes: number };
type Stage = Sample & { age: number; totalMs: number };

/** What a cycle costs beside the model as the agent grows old. */
export async function age(bench: Bench): Promise<string> {
  const { db } = bench.runtime;
  const wal = await openWal(db);
  const lives: { age: number; made: MadeAgent; samples: Sample[] }[] = [];
  for (const cycle of AGES) {
    const made = await makeAgent(bench);
    await made.age(cycle - WARM_UP);
    lives.push({ age: cycle, made, samples: [] });
  }
  await sql`analyze`.execute(db); // as the autovacuum would, which the bench has switched off
  for (let index = -WARM_UP; index < SAMPLES; index += 1) {
    // In turns: the process grows faster with use, and a noisy neighbour disturbs all ages alike.
    for (const { made, samples } of lives) {
      const mark = await wal.mark();
      const times = await made.live();
      if (index >= 0) samples.push({ ...times, bytes: (await wal.since(mark)).bytes });
    }
  }
  return report(lives.map(({ age: from, samples }) => ({ age: from, ...summarise(samples) })));
}

function summarise(samples: Sample[]): Omit<Stage, 'age'> {
  const median = (value: (sample: Sample) => number): number => percentile(samples.map(value), 0.5);
  const mean = (value: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + value(sample), 0) / samples.length;
  return {
    tokens: mean((sample) => sample.tokens),
    claimMs: median((sample) => sample.claimMs),
    loadMs: median((sample) => sample.loadMs),
    commitMs: median((sample) => sample.commitMs),
    totalMs: median((sample) => sample.loadMs + sample.commitMs),
    compactMs: mean((sample) => sample.compactMs),
    bytes: mean((sample) => sample.bytes),
  };
}

function report(stages: Stage[]): string {
  const rows = stages.map((stage) => [
    String(stage.age),
    stage.tokens.toFixed(0),
    milliseconds(stage.claimMs),
    milliseconds(stage.loadMs),
    milliseconds(stage.commitMs),
    milliseconds(stage.totalMs),
    milliseconds(stage.compactMs),
    bytes(stage.bytes),
  ]);
  const spread = (value: (stage: Stage) => number): number =>
    Math.max(...stages.map(value)) / Math.min(...stages.map(value));
  const [latency, written] = [spread((stage) => stage.totalMs), spread((stage) => stage.bytes)];
  const head = [
    'cycle',
    'memory tokens, mean',
    'claim',
    'load',
    'commit',
    'load + commit',
    'compaction, mean',
    'Postgres WAL',
  ];
  return [
    `Cost of age, ${SAMPLES} cycles from the one named, median (limit 100,000 tokens), four agents in turns`,
    table([head, ...rows]),
    verdict(`load + commit flat within ${AIM}× (${times(latency)})`, latency <= AIM),
    verdict(`bytes written flat within ${AIM}× (${times(written)})`, written <= AIM),
  ].join('\n');
}
