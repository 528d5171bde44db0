import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';

import { nextLine, type Line } from './rehearsal-script.ts';

// Fast enough for a first answer within a second, slow enough that the eye sees it stream.
const PACE_MS = 8;
const CHUNK = 12;

/** A real AI SDK language model without a language model: offline, deterministic, no key. `instant` does not pace itself. */
export function rehearsalModel(modelId: string): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'rehearsal',
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the rehearsal model only streams')),
    doStream: ({ prompt, abortSignal }) => {
      const line = nextLine(prompt);
      const parts = toParts(line, usageOf(JSON.stringify(prompt), JSON.stringify(line)), callId(prompt.length, line));
      return Promise.resolve({ stream: paced(parts, modelId === 'instant' ? 0 : PACE_MS, abortSignal) });
    },
  };
}

// The prompt only grows within a cycle and its length is the same when the cycle is retried.
function callId(promptLength: number, line: Line): string {
  return `rehearsal-${promptLength}-${line.kind === 'call' ? line.name : 'text'}`;
}

function* toParts(line: Line, usage: LanguageModelV4Usage, id: string): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  if (line.kind === 'text') {
    yield { type: 'text-start', id };
    for (const delta of chunks(line.text)) yield { type: 'text-delta', id, delta };
    yield { type: 'text-end', id };
    yield { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } };
    return;
  }
  const input = JSON.stringify(line.input);
  yield { type: 'tool-input-start', id, toolName: line.name };
  for (const delta of chunks(input)) yield { type: 'tool-input-delta', id, delta };
  yield { type: 'tool-input-end', id };
  yield { type: 'tool-call', toolCallId: id, toolName: line.name, input };
  yield { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } };
}

function* chunks(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += CHUNK) yield text.slice(from, from + CHUNK);
}

function paced(
  parts: Generator<LanguageModelV4StreamPart>,
  paceMs: number,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      if (signal?.aborted === true) return controller.error(signal.reason);
      const { done, value } = parts.next();
      if (done === true) return controller.close();
      if (paceMs > 0 && value.type.endsWith('-delta')) await new Promise((resolve) => setTimeout(resolve, paceMs));
      controller.enqueue(value);
    },
  });
}

function usageOf(input: string, output: string): LanguageModelV4Usage {
  const inputTokens = Math.ceil(input.length / 4);
  const outputTokens = Math.ceil(output.length / 4);
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
  };
}
