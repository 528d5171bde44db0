import { age } from './age.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { describeMachine } from './machine.ts';
import { openBench, type Bench } from './open-bench.ts';
import { startPacedModel, type PacedModel } from './paced-model.ts';
import { streaming } from './streaming.ts';
import { throughput } from './throughput.ts';

const PARTS: Record<string, (bench: Bench, model: PacedModel) => Promise<string>> = {
  latency,
  throughput,
  growth,
  age,
  streaming,
};

/** `npm run bench`, or one part of it: `npm run bench -- latency`. */
async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    console.error(`There is no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  console.log(`Wakeful bench\n${describeMachine()} · embeddings off\n`);
  const model = await startPacedModel();
  const settings = {
    WAKEFUL_COMPATIBLE_URL: model.url,
    WAKEFUL_MODEL: 'rehearsal:instant',
    WAKEFUL_EMBEDDING_MODEL: 'none', // its job comes some time later, and would fall into whatever is being measured
  };
  const bench = await openBench(() => undefined, settings);
  try {
    for (const [name, part] of Object.entries(PARTS)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const started = performance.now();
      console.log(`${await part(bench, model)}\n(${((performance.now() - started) / 1_000).toFixed(0)} s)\n`);
    }
  } finally {
    await bench.close();
    await model.close();
  }
}

await main();
