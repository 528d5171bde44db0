import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

import { crashPoint } from './crash-point.ts';
import { createCollector, type Generation } from './generation.ts';

export class StreamStalled extends Error {}
export class StreamTorn extends Error {}

/** Reads a model's stream to its end, showing each part as it comes. Anything but a proper finish is an error. */
export async function listenToModel(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: {
    hear: (part: LanguageModelV4StreamPart) => void;
    rename: (part: LanguageModelV4StreamPart) => LanguageModelV4StreamPart;
    idleMs: number;
  },
): Promise<Generation> {
  const collector = createCollector();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await within(options.idleMs, reader.read());
      if (done) break;
      if (value.type === 'error') throw value.error;
      const part = options.rename(value);
      collector.add(part);
      options.hear(part);
      if (value.type === 'tool-input-delta') crashPoint('llm.mid_stream');
    }
  } catch (error) {
    await reader.cancel(error).catch(() => undefined);
    throw error;
  }
  const generation = collector.finish();
  if (generation === undefined) throw new StreamTorn('the model stream ended without a finish');
  const { unified, raw } = generation.finishReason;
  if (unified === 'error' || unified === 'interrupted') {
    throw new StreamTorn(`the model stream was cut short (${raw ?? unified})`);
  }
  return generation;
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StreamStalled(`the model sent nothing for ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, stalled]);
  } finally {
    clearTimeout(timer);
  }
}
