import { setTimeout as sleep } from 'node:timers/promises';

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { wrapLanguageModel, type ModelMessage } from 'ai';

import { continuationOf, joinReplies, wasCut } from './continue-reply.ts';
import { crashPoint } from './crash-point.ts';
import type { CycleWatch } from './cycle-watch.ts';
import { toStream, type Generation } from './generation.ts';
import type { JournaledStep, StepTiming } from './journal.ts';
import { listenToModel, StreamStalled } from './listen-to-model.ts';
import { diagnose, MODEL_ATTEMPTS, toAppError, type Trouble } from './model-trouble.ts';
import { uniqueCallIds } from './unique-call-ids.ts';

/** Where the loop stands; prepareStep moves it on before each model call. */
export type StepCursor = { step: number; injected: ModelMessage[] };

export type ModelEars = {
  /** A try begins: the first, or another after trouble. */
  begin(step: number): (part: LanguageModelV4StreamPart) => void;
  /** The try came to nothing: what was shown of it is taken back. `retry`: another one follows. */
  discard(trouble: Trouble, attempt: number): Promise<void>;
};

/**
 * The agent's model behind the run's journal. A step that was journaled is said again word for word, without asking
 * anyone; a new one is heard to its end, written down, and only then handed to the SDK, which runs its calls.
 * So the SDK's loop, run anew after a crash, comes to the same place by itself.
 */
export function journaledModel(input: {
  model: LanguageModelV4;
  journal: Map<number, Generation>;
  cursor: StepCursor;
  write: (step: JournaledStep & StepTiming) => Promise<void>;
  /** How a reply that hit its length limit is carried on, and how often; without it such a reply ends the cycle. */
  continuation?: { prompt: string; most: number } | undefined;
  ears: ModelEars;
  watch: CycleWatch;
  idleMs: number;
  retryBaseMs: number;
}): LanguageModelV4 {
  const { journal, cursor } = input;

  const ask = async (options: LanguageModelV4CallOptions, heard: () => void): Promise<Generation> => {
    const signal = options.abortSignal;
    for (let attempt = 1; ; attempt += 1) {
      const hear = input.ears.begin(cursor.step);
      try {
        return await input.watch.modelCall(async () => {
          const stream = await openStream(input.model, options, input.idleMs);
          return listenToModel(stream, {
            idleMs: input.idleMs,
            rename: uniqueCallIds([...journal.values()].flatMap(callIds)),
            hear: (part) => {
              if (part.type !== 'stream-start' && part.type !== 'response-metadata') heard();
              hear(part);
            },
          });
        }, signal);
      } catch (error) {
        if (signal?.aborted === true) throw error;
        const trouble = diagnose(error, attempt, input.retryBaseMs);
        const again = trouble.retry && attempt < MODEL_ATTEMPTS;
        await input.ears.discard({ ...trouble, retry: again }, attempt);
        if (!again) throw toAppError(error, trouble.retry);
        input.watch.modelRetry();
        await sleep(trouble.waitMs, undefined, signal === undefined ? {} : { signal });
      }
    }
  };

  const askInFull = async (options: LanguageModelV4CallOptions, heard: () => void): Promise<Generation> => {
    let reply = await ask(options, heard);
    for (let count = 0; wasCut(reply) && count < (input.continuation?.most ?? 0); count += 1) {
      const prompt = continuationOf(options.prompt, reply, input.continuation!.prompt);
      reply = joinReplies(reply, await ask({ ...options, prompt }, heard));
    }
    return reply;
  };

  return wrapLanguageModel({
    model: input.model,
    middleware: {
      specificationVersion: 'v4',
      wrapStream: async ({ params }) => {
        const { step, injected } = cursor;
        let generation = journal.get(step);
        if (generation === undefined) {
          const said = await input.watch.step(step, async () => {
            const startedAt = new Date();
            let firstPartMs: number | null = null;
            const reply = await askInFull(params, () => {
              firstPartMs ??= Date.now() - startedAt.getTime();
            });
            return { generation: reply, startedAt, firstPartMs };
          });
          generation = said.generation;
          crashPoint('step.before_journal');
          await input.write({ step, injected, ...said });
          journal.set(step, generation);
          crashPoint('step.after_journal');
        }
        return { stream: toStream(generation) };
      },
    },
  });
}

/** A server that accepts the connection and then says nothing is as stalled as one that stops in the middle. */
async function openStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  idleMs: number,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const giveUp = new AbortController();
  const signals = options.abortSignal === undefined ? [giveUp.signal] : [giveUp.signal, options.abortSignal];
  const timer = setTimeout(
    () => giveUp.abort(new StreamStalled(`the model did not answer for ${idleMs / 1000} s`)),
    idleMs,
  );
  try {
    return (await model.doStream({ ...options, abortSignal: AbortSignal.any(signals) })).stream;
  } catch (error) {
    throw giveUp.signal.aborted ? giveUp.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function callIds(generation: Generation): string[] {
  return generation.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
}
