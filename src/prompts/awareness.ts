import type { UserModelMessage } from 'ai';

import { eventWords } from '../inbox/event-words.ts';
import type { InboxEvent } from '../inbox/inbox-event.ts';
import { inboxLine, sourceOf } from './inbox-message.ts';
import { label } from './label.ts';
import { quote } from './quote.ts';

const SNIPPET = 50;

/** What waits, without taking it: seen by the model in one step only, never stored. */
export function previewMessage(pending: { total: number; first: InboxEvent[] }): UserModelMessage {
  const lines = pending.first.map((event) => {
    const where = event.space === undefined ? '' : `[${label(event.space.name)}] `;
    const content = eventWords(event).slice(0, SNIPPET).toWellFormed();
    return `  ${where}${event.sender === undefined ? sourceOf(event) : label(event.sender.name)}: ${quote(content)}...`;
  });
  const left = pending.total - pending.first.length;
  return {
    role: 'user',
    content: [
      `[INBOX PREVIEW — ${pending.total} new event${pending.total === 1 ? '' : 's'} waiting]`,
      ...lines,
      ...(left > 0 ? [`  … and ${left} more`] : []),
      'You will get them in full in your next cycle. Adapt now only if they change what you are doing: a correction ends it, something urgent shortens it.',
    ].join('\n'),
  };
}

/** Urgent events in full, in the middle of a cycle; stored with it. */
export function urgentMessage(events: InboxEvent[], now: Date): UserModelMessage {
  const count = `${events.length} event${events.length === 1 ? '' : 's'}`;
  return {
    role: 'user',
    content: [`[URGENT] ${count} reached you at ${now.toISOString()}:`, ...events.map(inboxLine)].join('\n'),
  };
}
