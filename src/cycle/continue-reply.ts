import type { LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider';

import { callsOf, type Generation } from './generation.ts';

/** A reply that hit the length limit in the middle of its text, with no call that could carry the cycle on. */
export function wasCut(generation: Generation): boolean {
  return generation.finishReason.unified === 'length' && callsOf(generation).length === 0;
}

/** The prompt that asks for the rest: what was said so far, then the agent's continuation prompt. */
export function continuationOf(prompt: LanguageModelV4Prompt, said: Generation, words: string): LanguageModelV4Prompt {
  const content = said.content.flatMap((part) =>
    part.type === 'text' && part.text !== '' ? [{ type: 'text' as const, text: part.text }] : [],
  );
  const assistant: LanguageModelV4Prompt = content.length === 0 ? [] : [{ role: 'assistant', content }];
  return [...prompt, ...assistant, { role: 'user', content: [{ type: 'text', text: words }] }];
}

export function joinReplies(first: Generation, rest: Generation): Generation {
  return { ...rest, content: [...first.content, ...rest.content], usage: addUsage(first.usage, rest.usage) };
}

function addUsage(a: LanguageModelV4Usage, b: LanguageModelV4Usage): LanguageModelV4Usage {
  const add = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  return {
    inputTokens: {
      total: add(a.inputTokens.total, b.inputTokens.total),
      noCache: add(a.inputTokens.noCache, b.inputTokens.noCache),
      cacheRead: add(a.inputTokens.cacheRead, b.inputTokens.cacheRead),
      cacheWrite: add(a.inputTokens.cacheWrite, b.inputTokens.cacheWrite),
    },
    outputTokens: {
      total: add(a.outputTokens.total, b.outputTokens.total),
      text: add(a.outputTokens.text, b.outputTokens.text),
      reasoning: add(a.outputTokens.reasoning, b.outputTokens.reasoning),
    },
  };
}
