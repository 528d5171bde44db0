import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';

import { modelFacts, type ModelFacts } from '../../src/models/model-facts.ts';
import type { Models } from '../../src/models/models.ts';

export const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

export type Said = { text: string } | { call: string; input: object; id?: string };

/** One reply of a scripted model: texts and calls in order, streamed in small pieces as providers do. */
export function reply(...said: Said[]): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }];
  for (const [index, part] of said.entries()) {
    if ('text' in part) {
      const id = `text-${index}`;
      parts.push({ type: 'text-start', id }, { type: 'text-delta', id, delta: part.text }, { type: 'text-end', id });
      continue;
    }
    const id = part.id ?? `call-${index}`;
    const input = JSON.stringify(part.input);
    parts.push({ type: 'tool-input-start', id, toolName: part.call });
    for (let from = 0; from < input.length; from += 7) {
      parts.push({ type: 'tool-input-delta', id, delta: input.slice(from, from + 7) });
    }
    parts.push({ type: 'tool-input-end', id }, { type: 'tool-call', toolCallId: id, toolName: part.call, input });
  }
  const calls = said.some((part) => 'call' in part);
  const finishReason = calls
    ? ({ unified: 'tool-calls', raw: 'tool_calls' } as const)
    : ({ unified: 'stop', raw: 'stop' } as const);
  return [...parts, { type: 'finish', usage: USAGE, finishReason }];
}

type Reply =
  | LanguageModelV4StreamPart[]
  | ((prompt: unknown) => LanguageModelV4StreamPart[] | Promise<LanguageModelV4StreamPart[]>);

/** A model that plays these replies in order and fails loudly when asked once more. */
export function scriptedModel(...replies: Reply[]): MockLanguageModelV4 {
  let next = 0;
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const answer = replies[next];
      next += 1;
      if (answer === undefined)
        throw new Error(`the script has ${replies.length} replies; it was asked for reply ${next}`);
      const parts = typeof answer === 'function' ? await answer(prompt) : answer;
      return { stream: streamOf(parts) };
    },
  });
}

/** Model strings looked up in a map of scripted models. */
export function scriptedModels(models: Record<string, LanguageModelV4>, facts: Partial<ModelFacts> = {}): Models {
  return {
    default: 'test:default',
    check: () => undefined,
    facts: (name) => ({ ...modelFacts(name), ...facts }),
    get(name) {
      const model = models[name];
      if (model === undefined) throw new Error(`no scripted model ${name}`);
      return model;
    },
  };
}

export function streamOf(parts: LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
