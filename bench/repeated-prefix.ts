import type { ChatMessage, ChatRequest } from './model-server.ts';

export type Compared = {
  /** Whether this request belongs to the cycle of the one before it. */
  within: boolean;
  bytes: number;
  repeated: number;
  /** What was changed although it is older than the last cycle; undefined when all of that was repeated. */
  broken: 'tools' | 'instructions' | 'past' | undefined;
};

/** Each request beside the one before it. The first one has none and is left out. */
export function compareRequests(requests: ChatRequest[]): Compared[] {
  return requests.slice(1).map((request, index) => compare(requests[index]!, request));
}

/**
 * What a provider's cache sees of a request, in the order in which it is read: tools, then messages, the instructions
 * first of them. The order of keys in the body and the parameters around them do not matter there.
 */
function partsOf({ tools, messages }: ChatRequest): string[] {
  return [tools ?? [], ...messages].map((part) => `${JSON.stringify(part)}\n`);
}

function compare(before: ChatRequest, now: ChatRequest): Compared {
  const [old, fresh] = [partsOf(before), partsOf(now)];
  const [oldBytes, freshBytes] = [Buffer.from(old.join('')), Buffer.from(fresh.join(''))];
  const equal = old.findIndex((part, index) => part !== fresh[index]);
  const changedAt = equal === -1 ? old.length : equal;
  // The cycle before may end otherwise than it was last sent: skipped, or with a glance at the inbox that is not kept.
  const mustRepeat = inboxOf(before.messages) + 1;
  return {
    within: JSON.stringify(lastInbox(before)) === JSON.stringify(lastInbox(now)),
    bytes: freshBytes.length,
    repeated: commonPrefix(oldBytes, freshBytes),
    broken: changedAt >= mustRepeat ? undefined : changedAt === 0 ? 'tools' : changedAt === 1 ? 'instructions' : 'past',
  };
}

export function lastInbox({ messages }: ChatRequest): ChatMessage | undefined {
  return messages[inboxOf(messages)];
}

export function inboxOf(messages: ChatMessage[]): number {
  return messages.findLastIndex(({ role, content }) => role === 'user' && content?.startsWith('INBOX (') === true);
}

function commonPrefix(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  for (let index = 0; index < most; index += 1) if (one[index] !== other[index]) return index;
  return most;
}
