import type { Message } from '../stream/space-event.ts';

/** A message as a tool shows it to the model. */
export function glimpse(message: Message, agentId: string): object {
  return {
    seq: message.seq,
    from: message.senderId === agentId ? 'you' : `${message.senderName} (${message.senderKind})`,
    at: message.createdAt,
    text: message.text,
  };
}
