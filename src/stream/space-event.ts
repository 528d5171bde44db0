import type { EntityKind } from '../entities/entity-table.ts';

/** A message as every reader sees it: HTTP answers, the event log and tools share this one shape. */
export type Message = {
  id: string;
  spaceId: string;
  seq: number;
  senderId: string;
  senderName: string;
  senderKind: EntityKind;
  text: string;
  createdAt: string;
};

/** What a space's log can hold. Names and fields are the HTTP contract's. */
export type SpaceEvent =
  | { type: 'message.created'; data: Message & { draftId?: string } }
  | { type: 'message.started'; data: { draftId: string; attempt: number; senderId: string } }
  | { type: 'message.delta'; data: { draftId: string; attempt: number; offset: number; text: string } }
  | { type: 'message.discarded'; data: { draftId: string; attempt: number } }
  | { type: 'tool.started'; data: ToolMoment }
  | { type: 'tool.input.delta'; data: ToolMoment & { text: string } }
  | { type: 'tool.finished'; data: ToolMoment & { output?: object; error?: string } }
  | { type: 'agent.warning'; data: Warning }
  | { type: 'agent.status'; data: { agentId: string; status: AgentActivity; runId?: string } }
  | { type: 'agent.retrying'; data: { agentId: string; runId: string; try: number; waitMs: number; reason: string } }
  | { type: 'agent.failed'; data: { agentId: string; runId: string; reason: string; deadEvents: number } }
  | { type: 'space.updated'; data: { spaceId: string; name: string } }
  | { type: 'member.added' | 'member.removed'; data: { entityId: string; name: string; kind: EntityKind } };

/** `context`: what a request takes of the model's window, in estimated tokens. */
export type Warning = { agentId: string; runId: string; detail: string } & (
  | { kind: 'budget' | 'truncation' }
  | { kind: 'context'; context: { system: number; tools: number; messages: number; window: number; share: number } }
);

export type ToolMoment = { agentId: string; runId: string; callId: string; name: string };

export type AgentActivity = 'thinking' | 'asleep';
