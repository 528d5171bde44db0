import type { UserModelMessage } from 'ai';

import type { InboxEvent } from '../inbox/inbox-event.ts';
import type { PlanPayload } from '../plans/fire-plan.ts';
import { label } from './label.ts';
import { nextRunsLine } from './plan-lines.ts';
import { quote } from './quote.ts';

/** Everything that woke the agent, as one message. The current time and all that changes stands here, at the end. */
export function inboxMessage(
  events: InboxEvent[],
  now: Date,
  plans: Parameters<typeof nextRunsLine>[0] = [],
): UserModelMessage {
  const count = `${events.length} event${events.length === 1 ? '' : 's'}`;
  const lines = events.map(inboxLine);
  const nextRuns = nextRunsLine(plans, new Set(events.flatMap((event) => planOf(event)?.plan ?? [])));
  const told = [`INBOX (${count}) at ${now.toISOString()}:`, ...lines, ...(nextRuns === undefined ? [] : [nextRuns])];
  return { role: 'user', content: told.join('\n') };
}

/** What an event without a sender comes from. */
export function sourceOf(event: InboxEvent): string {
  const plan = planOf(event);
  return plan === undefined ? event.type : `plan ${label(plan.plan)}`;
}

function planOf({ type, payload }: InboxEvent): PlanPayload | undefined {
  return type === 'plan' ? (payload as PlanPayload | undefined) : undefined;
}

/** One event, one line. Foreign text is quoted: it cannot break out of its line or pose as another sender. */
export function inboxLine(event: InboxEvent): string {
  const where = event.space === undefined ? '' : `[${label(event.space.name)}] `;
  const plan = planOf(event);
  const who = event.sender === undefined ? sourceOf(event) : `${label(event.sender.name)} (${event.sender.kind})`;
  const what = quote(event.message?.text ?? plan?.instruction ?? event.payload ?? {});
  const marks = [
    ...(event.urgent ? ['urgent'] : []),
    ...(event.space === undefined ? [] : [`space ${event.space.id}`]),
    ...(event.message === undefined ? [] : [`message ${event.message.seq}`]),
    ...(plan === undefined ? [] : [`due ${plan.dueAt}`]),
    ...(plan?.nextRunAt === undefined ? [] : [`next run ${plan.nextRunAt}`]),
    ...(plan?.missed === undefined ? [] : [`${plan.missed} later run${plan.missed === 1 ? '' : 's'} missed`]),
    event.createdAt.toISOString(),
  ];
  return `${where}${who}: ${what} (${marks.join(', ')})`;
}
