import type { EventSourceMessage } from 'eventsource-parser';
import type { SpaceEvent } from './wire.ts';

const KNOWN = new Set<string>([
  'message.started',
  'message.delta',
  'message.discarded',
  'message.created',
  'agent.status',
  'agent.retrying',
  'agent.failed',
  'space.updated',
  'member.added',
  'member.removed',
] satisfies SpaceEvent['type'][]);

/** One frame of the stream as an event. An unknown type still counts: its seq is where a reconnect resumes. */
export function readEvent(frame: EventSourceMessage): SpaceEvent | undefined {
  const seq = Number(frame.id);
  if (!frame.id || !Number.isSafeInteger(seq)) return undefined; // not part of the log
  if (!frame.event || !KNOWN.has(frame.event)) return { seq, type: 'other', data: undefined };
  return { seq, type: frame.event, data: JSON.parse(frame.data) as unknown } as SpaceEvent;
}
