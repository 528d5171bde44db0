import type { InboxEvent } from './inbox-event.ts';

/** What an event says, in words: a message's text, a plan's instruction, or else whatever it brought along. */
export function eventWords({ message, payload = {} }: Pick<InboxEvent, 'message' | 'payload'>): string {
  if (message !== undefined) return message.text;
  if ('instruction' in payload && typeof payload.instruction === 'string') return payload.instruction;
  return JSON.stringify(payload);
}
