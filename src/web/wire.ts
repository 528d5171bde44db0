/** What the API sends, as far as this page looks at it. */

export type EntityKind = 'human' | 'agent';

export type Page<Item> = { items: Item[]; next: string | number | null };

export type SpaceSummary = { id: string; name: string; createdAt: string };

export type Member = { id: string; name: string; kind: EntityKind };

export type Space = SpaceSummary & { members: Member[] };

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

/** Everything but the id may be missing: an older server, or a run that has not ended. */
export type Run = {
  id: string;
  status?: string | null;
  cycle?: number | null;
  startedAt?: string | null;
  endedAt?: string | null;
  error?: unknown;
  context?: { share: number } | null;
};

export type Agent = { id: string; name: string; model?: string | null; status?: string | null };

/** Where the Temporal Web UI is, when the server offers one. */
export type ConsoleConfig = { temporalUiUrl?: string; namespace?: string };

type Logged<Type extends string, Data> = { seq: number; type: Type; data: Data };

export type SpaceEvent =
  | Logged<'message.started', { draftId: string; attempt: number; senderId: string }>
  | Logged<'message.delta', { draftId: string; attempt: number; offset: number; text: string }>
  | Logged<'message.discarded', { draftId: string; attempt: number }>
  | Logged<'message.created', Message & { draftId?: string | null }>
  | Logged<'agent.status', { agentId: string; status: string; runId?: string | null }>
  | Logged<'agent.retrying', { agentId: string; detail?: string | null; reason?: string | null }>
  | Logged<'agent.failed', { agentId: string; detail?: string | null; reason?: string | null }>
  | Logged<'space.updated' | 'member.added' | 'member.removed', unknown>
  | Logged<'other', unknown>;
