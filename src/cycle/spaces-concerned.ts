import type { InboxEvent } from '../inbox/inbox-event.ts';

/** The spaces whose words woke the agent, in the order in which they are locked. */
export function spacesConcerned(run: { events: InboxEvent[] }): string[] {
  return [...new Set(run.events.flatMap((event) => event.space?.id ?? []))].toSorted();
}
