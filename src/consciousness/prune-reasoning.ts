import type { ModelMessage } from 'ai';

/**
 * Older cycles without their private reasoning. Inside a cycle providers want it back, signed; afterwards it only costs
 * tokens. Provider marks on the other parts go too: an item id that points at a missing reasoning item is refused.
 */
export function pruneReasoning(messages: ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return [message];
    // The same object when there is nothing to leave out: it keeps its count of tokens.
    if (!message.content.some((part) => part.type.startsWith('reasoning') || 'providerOptions' in part))
      return [message];
    const content = message.content.flatMap((part) => {
      if (part.type === 'reasoning' || part.type === 'reasoning-file') return [];
      if (!('providerOptions' in part)) return [part];
      const { providerOptions: _marks, ...rest } = part;
      return [rest as typeof part];
    });
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}
