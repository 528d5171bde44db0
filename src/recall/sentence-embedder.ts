import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

import type { Embedder } from './embedder.ts';
import type { Answered, Asked } from './sentence-thread.ts';

// The model takes some 200 MB and 0.3 s to load: it leaves when nobody has asked for a while.
const IDLE_MS = 60_000;

export function sentenceModelIsInstalled(): boolean {
  const require = createRequire(import.meta.url);
  try {
    for (const name of ['core', 'embeddings', 'model-embeddings-en']) require.resolve(`@energetic-ai/${name}`);
    return true;
  } catch {
    return false;
  }
}

/** A small English sentence model that came with npm. In a thread of its own: a sentence computes for 15 ms, a page for 200. */
export function sentenceEmbedder(): Embedder {
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let nextId = 1;
  const waiting = new Map<number, { resolve(vectors: number[][]): void; reject(error: Error): void }>();

  const end = (ended: Worker | undefined, error: Error): void => {
    if (ended === undefined || ended !== thread) return;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    void ended.terminate();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./sentence-thread.ts', import.meta.url));
    started.on('message', (answer: Answered) => {
      const asker = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('error' in answer) asker?.reject(new Error(answer.error));
      else asker?.resolve(answer.vectors);
    });
    started.on('error', (error) => end(started, error instanceof Error ? error : new Error(String(error))));
    started.on('exit', () => end(started, new Error('the embedding thread ended')));
    started.unref();
    return started;
  };

  return {
    name: 'local:sentences',
    note: 'on this machine, no network: Universal Sentence Encoder lite, small and English',
    passage: { characters: 240, most: 12, labels: false },
    trust: 1,
    floor: 0.25,
    batch: 4,
    rest: 3,
    async embed(texts, signal) {
      clearTimeout(idle);
      thread ??= start();
      const id = nextId++;
      const vectors = new Promise<number[][]>((resolve, reject) => waiting.set(id, { resolve, reject }));
      thread.postMessage({ id, texts } satisfies Asked);
      signal?.addEventListener('abort', () => waiting.get(id)?.reject(new Error('no longer wanted')), { once: true });
      try {
        return await vectors;
      } finally {
        waiting.delete(id);
        if (waiting.size === 0) {
          idle = setTimeout(() => end(thread, new Error('idle')), IDLE_MS);
          idle.unref();
        }
      }
    },
    async close() {
      clearTimeout(idle);
      end(thread, new Error('closed'));
    },
  };
}
