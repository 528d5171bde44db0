import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

import { newId } from '../db/id.ts';
import { createCoalescer } from './coalesce.ts';
import type { Draft } from './drafts.ts';
import type { SpaceEvent, ToolMoment } from './space-event.ts';
import { createTextField } from './text-field.ts';

export type Narrator = {
  /** Shows one part of the model's stream to the space it is for, while the model still writes. */
  hear(part: LanguageModelV4StreamPart): void;
  /** Sends what is held back; called on a timer so that a slow model is not silent. */
  flush(): void;
  /** The draft that was streamed for a call. */
  draftOf(callId: string): Draft | undefined;
  hasDrafts(): boolean;
  /** Shows how a call ended, where its start was shown; false when it was not. */
  finish(callId: string, outcome: ToolOutcome): boolean;
  /** Tells those who watch a call that nothing comes of it: for all that were shown and not finished. */
  abandon(reason: string): void;
};

export type ToolOutcome = { output: object } | { error: string };

type ShownTool = { spaceId: string; moment: ToolMoment; coalescer: ReturnType<typeof createCoalescer> };

type OpenDraft = Draft & {
  field: ReturnType<typeof createTextField>;
  coalescer: ReturnType<typeof createCoalescer>;
  offset: number;
};

const MOVING = new Set(['enter_space', 'leave_space']);

/**
 * Turns a model's stream into space events. A pure transformer: it knows nothing of databases.
 * Calls run only when the model has finished, so the space of a draft is the one the agent will be in by then: an
 * enter_space earlier in the same reply counts already.
 */
export function createNarrator(input: {
  agentId: string;
  attempt: number;
  activeSpaceId: string | undefined;
  /** The space that this enter_space input leads to, if the agent may go there. */
  resolveSpace: (input: string) => string | undefined;
  /** Whether people may watch this tool being called. */
  isVisible: (toolName: string) => boolean;
  runId: string;
  emit: (spaceId: string, event: SpaceEvent) => void;
}): Narrator {
  let spaceId = input.activeSpaceId;
  const drafts = new Map<string, OpenDraft>();
  // Calls that lead the agent elsewhere, as far as their input has come, until they count.
  const moves = new Map<string, { toolName: string; input: string }>();
  const moved = new Set<string>();
  const shown = new Map<string, ShownTool>();

  const send = (draft: OpenDraft, text: string): void => {
    if (text === '') return;
    const data = { draftId: draft.id, attempt: draft.attempt, offset: draft.offset, text };
    draft.offset += text.length;
    input.emit(draft.spaceId, { type: 'message.delta', data });
  };

  const move = (callId: string, call: { toolName: string; input: string }): void => {
    moves.delete(callId);
    moved.add(callId);
    if (call.toolName === 'leave_space') spaceId = undefined;
    // Not to be read yet: words shown in the space before it could be for other people.
    else if (!isJson(call.input)) spaceId = undefined;
    else spaceId = input.resolveSpace(call.input) ?? spaceId;
  };

  const showInput = (tool: ShownTool, text: string): void => {
    if (text === '') return;
    input.emit(tool.spaceId, { type: 'tool.input.delta', data: { ...tool.moment, text } });
  };

  const finish = (callId: string, outcome: ToolOutcome): boolean => {
    const tool = shown.get(callId);
    if (tool === undefined) return false;
    shown.delete(callId);
    input.emit(tool.spaceId, { type: 'tool.finished', data: { ...tool.moment, ...outcome } });
    return true;
  };

  return {
    finish,
    abandon(reason) {
      for (const callId of shown.keys()) finish(callId, { error: reason });
    },
    hear(part) {
      switch (part.type) {
        case 'tool-input-start': {
          // Some providers report calls only when the whole reply is there; the next one begins when this one is written.
          for (const [callId, call] of moves) move(callId, call);
          if (MOVING.has(part.toolName)) moves.set(part.id, { toolName: part.toolName, input: '' });
          if (spaceId === undefined) return;
          if (part.toolName !== 'send_message') {
            if (!input.isVisible(part.toolName)) return;
            const moment = { agentId: input.agentId, runId: input.runId, callId: part.id, name: part.toolName };
            shown.set(part.id, { spaceId, moment, coalescer: createCoalescer() });
            input.emit(spaceId, { type: 'tool.started', data: moment });
            return;
          }
          const draft = { id: newId(), spaceId, attempt: input.attempt, offset: 0 };
          drafts.set(part.id, { ...draft, field: createTextField('text'), coalescer: createCoalescer() });
          const data = { draftId: draft.id, attempt: draft.attempt, senderId: input.agentId };
          input.emit(spaceId, { type: 'message.started', data });
          return;
        }
        case 'tool-input-delta': {
          const leading = moves.get(part.id);
          if (leading !== undefined) leading.input += part.delta;
          const tool = shown.get(part.id);
          for (const piece of tool?.coalescer.push(part.delta) ?? []) showInput(tool!, piece);
          const draft = drafts.get(part.id);
          if (draft === undefined) return;
          for (const piece of draft.coalescer.push(draft.field.push(part.delta))) send(draft, piece);
          return;
        }
        case 'tool-input-end': {
          const tool = shown.get(part.id);
          if (tool !== undefined) showInput(tool, tool.coalescer.rest());
          const draft = drafts.get(part.id);
          if (draft !== undefined) send(draft, draft.coalescer.rest());
          return;
        }
        case 'tool-call':
          if (MOVING.has(part.toolName) && !moved.has(part.toolCallId)) move(part.toolCallId, part);
          return;
        default:
      }
    },
    flush() {
      for (const tool of shown.values()) showInput(tool, tool.coalescer.rest());
      for (const draft of drafts.values()) send(draft, draft.coalescer.rest());
    },
    hasDrafts: () => drafts.size > 0,
    draftOf(callId) {
      const draft = drafts.get(callId);
      return draft && { id: draft.id, spaceId: draft.spaceId, attempt: draft.attempt };
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
