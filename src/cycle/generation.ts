import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';

import { wellFormedJson } from '../db/well-formed.ts';

/** A stream part that stands for itself; text and reasoning come in pieces and are joined. */
type WholePart = Extract<
  LanguageModelV4StreamPart,
  { type: 'tool-call' | 'tool-result' | 'file' | 'source' | 'reasoning-file' | 'custom' | 'tool-approval-request' }
>;

type TextPart = { type: 'text' | 'reasoning'; text: string; providerMetadata?: WholePart['providerMetadata'] };

/** Everything one model call said, as plain JSON: the journal keeps it, and the SDK is given it back on a retry. */
export type Generation = {
  content: (TextPart | WholePart)[];
  finishReason: LanguageModelV4FinishReason;
  usage: LanguageModelV4Usage;
  response?: { id?: string; modelId?: string; timestamp?: string };
  providerMetadata?: WholePart['providerMetadata'];
};

export type StepUsage = {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
};

/** Joins a model's stream into one generation; undefined while no `finish` has come, so a torn stream is never taken for an answer. */
export function createCollector(): { add(part: LanguageModelV4StreamPart): void; finish(): Generation | undefined } {
  const content: Generation['content'] = [];
  const open = new Map<string, TextPart>();
  let end: Pick<Generation, 'finishReason' | 'usage' | 'providerMetadata'> | undefined;
  let response: Generation['response'];

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start': {
          const text: TextPart = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
          if (part.providerMetadata !== undefined) text.providerMetadata = part.providerMetadata;
          open.set(`${text.type}:${part.id}`, text);
          content.push(text);
          return;
        }
        case 'text-delta':
        case 'reasoning-delta':
        case 'text-end':
        case 'reasoning-end': {
          const text = open.get(`${part.type.startsWith('text') ? 'text' : 'reasoning'}:${part.id}`);
          if (text === undefined) return;
          if ('delta' in part) text.text += part.delta;
          if (part.providerMetadata !== undefined) text.providerMetadata = part.providerMetadata;
          return;
        }
        case 'tool-call':
        case 'tool-result':
        case 'file':
        case 'source':
        case 'reasoning-file':
        case 'custom':
        case 'tool-approval-request':
          content.push(part);
          return;
        case 'response-metadata': {
          const { id, modelId, timestamp } = part;
          response = {
            ...(id !== undefined && { id }),
            ...(modelId !== undefined && { modelId }),
            ...(timestamp !== undefined && { timestamp: timestamp.toISOString() }),
          };
          return;
        }
        case 'finish':
          end = {
            finishReason: part.finishReason,
            usage: part.usage,
            ...(part.providerMetadata !== undefined && { providerMetadata: part.providerMetadata }),
          };
          return;
        case 'stream-start':
        case 'tool-input-start':
        case 'tool-input-delta':
        case 'tool-input-end':
        case 'ping':
        case 'raw':
        case 'error':
          return;
        default:
          part satisfies never;
      }
    },
    finish() {
      if (end === undefined) return undefined;
      return wellFormedJson({ content, ...end, ...(response !== undefined && { response }) });
    },
  };
}

/** The stream a model would have sent to say exactly this. */
export function toStream(generation: Generation): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of toParts(generation)) controller.enqueue(part);
      controller.close();
    },
  });
}

function* toParts(generation: Generation): Iterable<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  const { response } = generation;
  if (response !== undefined) {
    const { timestamp, ...rest } = response;
    yield { type: 'response-metadata', ...rest, ...(timestamp !== undefined && { timestamp: new Date(timestamp) }) };
  }
  for (const [index, part] of generation.content.entries()) {
    if (!isText(part)) {
      yield part;
      continue;
    }
    const id = String(index);
    const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata };
    if (part.type === 'text') {
      yield { type: 'text-start', id, ...metadata };
      if (part.text !== '') yield { type: 'text-delta', id, delta: part.text };
      yield { type: 'text-end', id, ...metadata };
    } else {
      yield { type: 'reasoning-start', id, ...metadata };
      if (part.text !== '') yield { type: 'reasoning-delta', id, delta: part.text };
      yield { type: 'reasoning-end', id, ...metadata };
    }
  }
  const { finishReason, usage, providerMetadata } = generation;
  yield { type: 'finish', finishReason, usage, ...(providerMetadata !== undefined && { providerMetadata }) };
}

function isText(part: Generation['content'][number]): part is TextPart {
  return part.type === 'text' || part.type === 'reasoning';
}

export type GeneratedCall = { callId: string; name: string; input: unknown };

/** The calls the model wants run by us, in its order. Input that is not JSON comes as the raw text. */
export function callsOf(generation: Generation): GeneratedCall[] {
  return generation.content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true
      ? [{ callId: part.toolCallId, name: part.toolName, input: parseInput(part.input) }]
      : [],
  );
}

export function parseInput(input: string): unknown {
  try {
    return JSON.parse(input === '' ? '{}' : input);
  } catch {
    return input;
  }
}

export function stepUsage(usage: LanguageModelV4Usage): StepUsage {
  return {
    inputTokens: usage.inputTokens.total ?? 0,
    cacheReadTokens: usage.inputTokens.cacheRead ?? 0,
    cacheWriteTokens: usage.inputTokens.cacheWrite ?? 0,
    outputTokens: usage.outputTokens.total ?? 0,
    reasoningTokens: usage.outputTokens.reasoning ?? 0,
  };
}
