import type { UserModelMessage } from 'ai';

import type { InboxEvent } from '../inbox/inbox-event.ts';
import { label } from './label.ts';
import { quote } from './quote.ts';

/** Everything that woke the agent, as one message. The current time and all that changes stands here, at the end. */
export function inboxMessage(events: InboxEvent[], now: Date): UserModelMessage {
  const count = `${events.length} event${events.length === 1 ? '' : 's'}`;
  const lines = events.map(inboxLine);
  return { role: 'user', content: [`INBOX (${count}) at ${now.toISOString()}:`, ...lines].join('\n') };
}

/** One event, one line. Foreign text is quoted: it cannot break out of its line or pose as another sender. */
export function inboxLine(event: InboxEvent): string {
  const where = event.space === undefined ? '' : `[${label(event.space.name)}] `;
  const who = event.sender === undefined ? event.type : `${label(event.sender.name)} (${event.sender.kind})`;
  const what = quote(event.message?.text ?? event.payload ?? {});
  const marks = [
    ...(event.urgent ? ['urgent'] : []),
    ...(event.space === undefined ? [] : [`space ${event.space.id}`]),
    ...(event.message === undefined ? [] : [`message ${event.message.seq}`]),
    event.createdAt.toISOString(),
  ];
  return `${where}${who}: ${what} (${marks.join(', ')})`;
}
