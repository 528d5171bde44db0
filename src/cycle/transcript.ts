import type { AssistantModelMessage, ModelMessage, ToolCallPart, ToolModelMessage } from 'ai';

import { parseInput, type Generation } from './generation.ts';

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];
type ToolResultPart = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>;

export type RecordedCall = { callId: string; status: string; output: object | null };

const UNANSWERED = { status: 'ignored', note: 'not carried out: skip counts only as the sole first call of a cycle' };

/** Every call gets exactly one result right behind it. An unanswered call would make each later model request fail. */
export function answerOpenCalls(messages: ModelMessage[]): ModelMessage[] {
  const answered: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    answered.push(message);
    if (message.role !== 'assistant' || typeof message.content === 'string') continue;
    const next = messages[index + 1];
    const results = new Set(
      next?.role === 'tool' ? next.content.map((part) => ('toolCallId' in part ? part.toolCallId : '')) : [],
    );
    const open = message.content.flatMap((part): ToolResultPart[] =>
      part.type === 'tool-call' && part.providerExecuted !== true && !results.has(part.toolCallId)
        ? [resultPart(part, { type: 'json', value: UNANSWERED })]
        : [],
    );
    if (open.length === 0) continue;
    if (next?.role === 'tool') messages[index + 1] = { ...next, content: [...next.content, ...open] };
    else answered.push({ role: 'tool', content: open });
  }
  return answered;
}

/**
 * A step as messages, from the journal alone: for a cycle that ended before the SDK could say it. Calls that ran keep
 * their results; the others are answered with why they did not.
 */
export function stepMessages(generation: Generation, calls: RecordedCall[], reason: string): ModelMessage[] {
  const content = generation.content.flatMap((part): AssistantPart[] => {
    const options = part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
    if (part.type === 'text' || part.type === 'reasoning')
      return part.text === '' ? [] : [{ type: part.type, text: part.text, ...options }];
    if (part.type !== 'tool-call' || part.providerExecuted === true) return [];
    return [
      {
        type: part.type,
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: parseInput(part.input),
        ...options,
      },
    ];
  });
  const results = content
    .flatMap((part) => (part.type === 'tool-call' ? [part] : []))
    .map((call): ToolResultPart => {
      const recorded = calls.find(({ callId }) => callId === call.toolCallId);
      if (recorded === undefined) return resultPart(call, { type: 'error-text', value: `not carried out: ${reason}` });
      if (recorded.status !== 'failed')
        return resultPart(call, { type: 'json', value: (recorded.output ?? {}) as never });
      const words = recorded.output !== null && 'error' in recorded.output ? String(recorded.output.error) : 'failed';
      return resultPart(call, { type: 'error-text', value: `Error: ${words}` });
    });
  const assistant: ModelMessage[] = content.length === 0 ? [] : [{ role: 'assistant', content }];
  return results.length === 0 ? assistant : [...assistant, { role: 'tool', content: results }];
}

/** With the provider's own data of the call, as the SDK hands it on: some providers join the two by it. */
function resultPart(call: ToolCallPart, output: ToolResultPart['output']): ToolResultPart {
  const options = call.providerOptions === undefined ? {} : { providerOptions: call.providerOptions };
  return { type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output, ...options };
}
