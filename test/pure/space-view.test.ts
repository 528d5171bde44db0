import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEvent } from '../../src/web/read-event.ts';
import { changeSpaceView, EMPTY_VIEW } from '../../src/web/space-view.ts';
import type { SpaceView } from '../../src/web/space-view.ts';
import type { Message, SpaceEvent } from '../../src/web/wire.ts';

const ADA = 'agent-ada';

function message(seq: number, text: string): Message {
  return {
    id: `message-${seq}`,
    spaceId: 'lobby',
    seq,
    senderId: ADA,
    senderName: 'Ada',
    senderKind: 'agent',
    text,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

/** A log with a question, a reply whose first attempt breaks off, an agent that fails, and one draft still open. */
const LOG: SpaceEvent[] = [
  { seq: 1, type: 'message.created', data: message(1, 'Ada?') },
  { seq: 2, type: 'agent.status', data: { agentId: ADA, status: 'thinking' } },
  { seq: 3, type: 'message.started', data: { draftId: 'one', attempt: 1, senderId: ADA } },
  { seq: 4, type: 'message.delta', data: { draftId: 'one', attempt: 1, offset: 0, text: 'Broken' } },
  { seq: 5, type: 'agent.retrying', data: { agentId: ADA, detail: 'the model is busy' } },
  { seq: 6, type: 'message.discarded', data: { draftId: 'one', attempt: 1 } },
  { seq: 7, type: 'message.started', data: { draftId: 'one', attempt: 2, senderId: ADA } },
  { seq: 8, type: 'message.delta', data: { draftId: 'one', attempt: 2, offset: 0, text: 'Hello ' } },
  { seq: 9, type: 'message.delta', data: { draftId: 'one', attempt: 2, offset: 6, text: 'Ana' } },
  { seq: 10, type: 'message.created', data: { ...message(2, 'Hello Ana'), draftId: 'one' } },
  { seq: 11, type: 'agent.status', data: { agentId: ADA, status: 'asleep' } },
  { seq: 12, type: 'agent.failed', data: { agentId: ADA, detail: 'the key is refused' } },
  { seq: 13, type: 'message.started', data: { draftId: 'two', attempt: 1, senderId: ADA } },
  { seq: 14, type: 'message.delta', data: { draftId: 'two', attempt: 1, offset: 0, text: 'Still writ' } },
];

function after(seq: number): SpaceView {
  return changeSpaceView(EMPTY_VIEW, { kind: 'events', events: LOG.filter((event) => event.seq <= seq) });
}

describe('a message being written', () => {
  test('shows as a draft that grows', () => {
    expect(after(3).drafts).toEqual([{ draftId: 'one', attempt: 1, senderId: ADA, text: '' }]);
    expect(after(9).drafts).toEqual([{ draftId: 'one', attempt: 2, senderId: ADA, text: 'Hello Ana' }]);
  });

  test('leaves nothing behind when its attempt is discarded', () => {
    expect(after(6).drafts).toEqual([]);
  });

  test('gives its place to the complete message', () => {
    const view = after(10);
    expect(view.drafts).toEqual([]);
    expect(view.messages.map(({ text }) => text)).toEqual(['Ada?', 'Hello Ana']);
    expect(view.messages[1]).not.toHaveProperty('draftId');
  });

  test('ignores deltas and discards of an earlier attempt', () => {
    const late: SpaceEvent[] = [
      { seq: 20, type: 'message.delta', data: { draftId: 'one', attempt: 1, offset: 0, text: 'Old words' } },
      { seq: 21, type: 'message.discarded', data: { draftId: 'one', attempt: 1 } },
    ];
    expect(changeSpaceView(after(9), { kind: 'events', events: late }).drafts).toEqual(after(9).drafts);
  });

  test('is not shown with a hole when its beginning was missed', () => {
    const gap: SpaceEvent = {
      seq: 20,
      type: 'message.delta',
      data: { draftId: 'two', attempt: 1, offset: 50, text: 'the end' },
    };
    expect(changeSpaceView(after(14), { kind: 'events', events: [gap] }).drafts).toEqual(after(14).drafts);
  });
});

describe('an agent', () => {
  test('carries its status', () => {
    expect(after(2).agents[ADA]).toEqual({ status: 'thinking', notice: undefined });
  });

  test('keeps the notice of a failure while it sleeps, until it thinks again or a person dismisses it', () => {
    const asleep: SpaceEvent = { seq: 20, type: 'agent.status', data: { agentId: ADA, status: 'asleep' } };
    const thinking: SpaceEvent = { seq: 21, type: 'agent.status', data: { agentId: ADA, status: 'thinking' } };
    const failed = changeSpaceView(after(14), { kind: 'events', events: [asleep] });

    expect(failed.agents[ADA]?.notice).toEqual({ kind: 'failed', detail: 'the key is refused' });
    expect(changeSpaceView(failed, { kind: 'events', events: [thinking] }).agents[ADA]?.notice).toBeUndefined();
    const dismissed = changeSpaceView(failed, { kind: 'notice-dismissed', agentId: ADA });
    expect(dismissed.agents[ADA]?.notice).toBeUndefined();
  });
});

test('a stream that is cut anywhere, and repeats what was already seen, ends in the same view', () => {
  const cuts = fc.array(fc.record({ to: fc.nat(LOG.length), back: fc.nat(LOG.length) }), { maxLength: 8 });
  fc.assert(
    fc.property(cuts, (connections) => {
      let view = EMPTY_VIEW;
      for (const { to, back } of connections) {
        const from = Math.max(0, view.lastSeq - back);
        view = changeSpaceView(view, { kind: 'events', events: LOG.slice(from, Math.max(from, to)) });
      }
      view = changeSpaceView(view, { kind: 'events', events: LOG.slice(view.lastSeq) });
      expect(view).toEqual(after(14));
    }),
  );
});

test('pages of history and events in any order give each message once, by seq', () => {
  const events = Array.from({ length: 12 }, (_, index): SpaceEvent => {
    return { seq: index + 1, type: 'message.created', data: message(index + 1, `text ${index + 1}`) };
  });
  const pages = [
    [1, 2, 3, 4],
    [4, 5, 6, 7, 8],
    [7, 8, 9, 10, 11, 12],
    [2, 11],
  ].map((seqs) => ({
    kind: 'history' as const,
    messages: seqs.map((seq) => message(seq, `text ${seq}`)),
    atStart: false,
  }));
  const changes = [{ kind: 'events' as const, events: events.slice(5) }, ...pages];
  fc.assert(
    fc.property(fc.shuffledSubarray(changes, { minLength: changes.length }), (order) => {
      const { messages } = order.reduce(changeSpaceView, EMPTY_VIEW);
      expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }),
  );
});

describe('a frame of the stream', () => {
  test('of an unknown type still moves the place to resume from', () => {
    const event = readEvent({ id: '15', event: 'tool.started', data: '{}' });
    expect(event).toEqual({ seq: 15, type: 'other', data: undefined });
    expect(changeSpaceView(after(14), { kind: 'events', events: event ? [event] : [] }).lastSeq).toBe(15);
  });

  test('without a number is left out', () => {
    expect(readEvent({ event: 'message.created', data: '{}' })).toBeUndefined();
  });
});
