import type { Message, SpaceEvent } from './wire.ts';

/** A message that an agent is still writing. */
export type Draft = { draftId: string; attempt: number; senderId: string; text: string };

export type AgentNotice = { kind: 'retrying' | 'failed'; detail: string | undefined };

export type AgentState = { status: string; notice: AgentNotice | undefined };

export type SpaceView = {
  /** By seq, each message once. */
  messages: readonly Message[];
  /** In the order they were begun. */
  drafts: readonly Draft[];
  agents: Readonly<Record<string, AgentState>>;
  /** Seq of the last event taken in; the stream resumes behind it. */
  lastSeq: number;
  /** True once the first message of the space is known to be loaded. */
  atStart: boolean;
};

export type SpaceChange =
  | { kind: 'events'; events: readonly SpaceEvent[] }
  | { kind: 'history'; messages: readonly Message[]; atStart: boolean }
  | { kind: 'notice-dismissed'; agentId: string };

export const EMPTY_VIEW: SpaceView = { messages: [], drafts: [], agents: {}, lastSeq: 0, atStart: false };

/**
 * The space after a change. Events seen before change nothing, so a stream that was cut and resumed anywhere
 * ends in the same view as one that never broke; pages of history may come before, between or after events.
 */
export function changeSpaceView(view: SpaceView, change: SpaceChange): SpaceView {
  switch (change.kind) {
    case 'events':
      return change.events.reduce(applyEvent, view);
    case 'history':
      return {
        ...view,
        messages: change.messages.reduce(withMessage, view.messages),
        atStart: view.atStart || change.atStart,
      };
    case 'notice-dismissed':
      return withAgent(view, change.agentId, { notice: undefined });
    default:
      return change satisfies never;
  }
}

function applyEvent(before: SpaceView, event: SpaceEvent): SpaceView {
  if (event.seq <= before.lastSeq) return before;
  const view = { ...before, lastSeq: event.seq };

  switch (event.type) {
    case 'message.started': {
      const { draftId, attempt, senderId } = event.data;
      const others = view.drafts.filter((draft) => draft.draftId !== draftId);
      return { ...view, drafts: [...others, { draftId, attempt, senderId, text: '' }] };
    }
    case 'message.delta':
      return { ...view, drafts: view.drafts.map((draft) => withDelta(draft, event.data)) };
    case 'message.discarded': {
      const { draftId, attempt } = event.data;
      // A late discard of an earlier attempt must not take away the attempt that followed it.
      return { ...view, drafts: view.drafts.filter((draft) => draft.draftId !== draftId || draft.attempt > attempt) };
    }
    case 'message.created': {
      const { draftId, ...message } = event.data;
      return {
        ...view,
        messages: withMessage(view.messages, message),
        drafts: draftId ? view.drafts.filter((draft) => draft.draftId !== draftId) : view.drafts,
      };
    }
    case 'agent.status': {
      const { agentId, status } = event.data;
      // A failure stays readable while the agent sleeps, and goes when it tries anew.
      const failed = view.agents[agentId]?.notice?.kind === 'failed';
      return withAgent(view, agentId, failed && status !== 'thinking' ? { status } : { status, notice: undefined });
    }
    case 'agent.retrying':
    case 'agent.failed': {
      const { agentId, detail, reason } = event.data;
      const kind = event.type === 'agent.failed' ? 'failed' : 'retrying';
      return withAgent(view, agentId, { notice: { kind, detail: detail ?? reason ?? undefined } });
    }
    case 'space.updated':
    case 'member.added':
    case 'member.removed':
    case 'other':
      return view;
    default:
      return event satisfies never;
  }
}

type Delta = { draftId: string; attempt: number; offset: number; text: string };

function withDelta(draft: Draft, delta: Delta): Draft {
  if (draft.draftId !== delta.draftId || draft.attempt !== delta.attempt) return draft;
  // Text before the offset is missing (joined late): better to stop here than to show a sentence with a hole.
  // message.created brings the whole text.
  if (delta.offset > draft.text.length) return draft;
  const end = delta.offset + delta.text.length;
  return { ...draft, text: draft.text.slice(0, delta.offset) + delta.text + draft.text.slice(end) };
}

function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  // Nearly always the newest, so look from the end.
  let index = messages.length;
  while (index > 0 && (messages[index - 1]?.seq ?? 0) > message.seq) index -= 1;
  if (messages[index - 1]?.id === message.id) return messages;
  return [...messages.slice(0, index), message, ...messages.slice(index)];
}

function withAgent(view: SpaceView, agentId: string, change: Partial<AgentState>): SpaceView {
  const before = view.agents[agentId] ?? { status: 'asleep', notice: undefined };
  return { ...view, agents: { ...view.agents, [agentId]: { ...before, ...change } } };
}
