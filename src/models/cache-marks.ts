import type { ModelMessage, SystemModelMessage } from 'ai';

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };

/** Anthropic caches a prefix only up to a mark; other providers find repeated prefixes themselves. */
function wantsMarks(model: string): boolean {
  return model.startsWith('anthropic:');
}

export function markInstructions(model: string, instructions: string): string | SystemModelMessage {
  return wantsMarks(model) ? { role: 'system', content: instructions, providerOptions: MARK } : instructions;
}

/** Marks the end of what earlier cycles left, which the next cycle repeats, and the end of this request, which the next step repeats. */
export function markMessages(model: string, messages: ModelMessage[], windowLength: number): ModelMessage[] {
  if (!wantsMarks(model)) return messages;
  const marked = new Set([windowLength - 1, messages.length - 1]);
  return messages.map((message, index) => (marked.has(index) ? { ...message, providerOptions: MARK } : message));
}
