import type { ModelMessage } from 'ai';

/** The agent's own last words of a cycle: what it remembers of it when details fade. */
export function closingText(messages: ModelMessage[]): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue;
    const text =
      typeof message.content === 'string'
        ? message.content
        : message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
    if (text.trim() !== '') return text.trim();
  }
  return undefined;
}
