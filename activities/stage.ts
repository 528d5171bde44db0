import type { AgentConfig } from '../src/agents/load-agent.ts';
import type { Db } from '../src/db/open-database.ts';
import type { SpaceWithMembers } from '../src/spaces/spaces-of.ts';
import { discardOpenDrafts, type Draft } from '../src/stream/drafts.ts';
import type { EventWriter } from '../src/stream/event-writer.ts';
import { createNarrator, type Narrator, type ToolOutcome } from '../src/stream/narrator.ts';
import type { SpaceEvent } from '../src/stream/space-event.ts';
import { findSpace } from '../src/tools/enter-space.ts';
import type { Run } from '../src/cycle/begin-run.ts';
import { parseInput } from '../src/cycle/generation.ts';
import { spacesConcerned } from '../src/cycle/spaces-concerned.ts';
import type { ModelEars } from '../src/cycle/journaled-model.ts';

export type Stage = {
  ears: ModelEars;
  /** A step is about to begin in this space. */
  enter(activeSpaceId: string | undefined): void;
  /** The draft of a call, with all its deltas in the log: its message comes after the last of them. */
  draftOf(callId: string): Promise<Draft | undefined>;
  /** Shows how a visible call ended. */
  finished(call: { callId: string; name: string }, outcome: ToolOutcome): void;
  /** Takes back what was drafted in the step but not sent. */
  endStep(): Promise<void>;
  /** Tells the spaces that woke the agent. */
  announce(event: SpaceEvent): void;
  close(): void;
};

// Held-back text goes out at least this often, however slowly the model writes.
const FLUSH_MS = 100;

/** Where people watch an agent think: drafts, visible tools and notices of one run. */
export function createStage(input: {
  db: Db;
  writer: EventWriter;
  run: Run;
  agent: AgentConfig;
  spaces: SpaceWithMembers[];
}): Stage {
  const { db, writer, run, agent } = input;
  let narrator: Narrator | undefined;
  let activeSpaceId: string | undefined;
  let tries = run.fence;
  const flushing = setInterval(() => narrator?.flush(), FLUSH_MS);
  // send_message is always shown, as a draft and then as the message itself.
  const isVisible = (name: string): boolean => name !== 'send_message' && agent.settings.visibleTools.includes(name);

  const emit = (spaceId: string, event: SpaceEvent): void =>
    writer.write({ orgId: run.orgId, spaceId, runId: run.id, event });
  const announce = (event: SpaceEvent): void => {
    for (const spaceId of spacesConcerned(run)) emit(spaceId, event);
  };

  return {
    announce,
    enter(spaceId) {
      activeSpaceId = spaceId;
      narrator = undefined;
    },
    ears: {
      begin() {
        narrator = createNarrator({
          agentId: agent.id,
          runId: run.id,
          attempt: tries,
          activeSpaceId,
          isVisible,
          resolveSpace: (text) => resolveSpace(input.spaces, text),
          emit,
        });
        return (part) => narrator?.hear(part);
      },
      async discard(trouble, attempt) {
        narrator?.abandon('the model’s reply broke off, so the call was not made');
        narrator = undefined;
        tries += 1;
        await writer.drained();
        await discardOpenDrafts(db, run);
        if (!trouble.retry) return;
        const data = { agentId: agent.id, runId: run.id, try: attempt, waitMs: trouble.waitMs, reason: trouble.reason };
        announce({ type: 'agent.retrying', data });
      },
    },
    async draftOf(callId) {
      const draft = narrator?.draftOf(callId);
      if (draft !== undefined) await writer.drained();
      return draft;
    },
    finished({ callId, name }, outcome) {
      if (!isVisible(name) || narrator?.finish(callId, outcome) === true || activeSpaceId === undefined) return;
      // Its start was shown before a crash, or there was no space to show it in yet.
      emit(activeSpaceId, {
        type: 'tool.finished',
        data: { agentId: agent.id, runId: run.id, callId, name, ...outcome },
      });
    },
    async endStep() {
      narrator?.abandon('the call could not be carried out');
      if (narrator?.hasDrafts() !== true) return;
      await writer.drained();
      await discardOpenDrafts(db, run);
    },
    close: () => clearInterval(flushing),
  };
}

function resolveSpace(spaces: SpaceWithMembers[], toolInput: string): string | undefined {
  const parsed = parseInput(toolInput);
  if (typeof parsed !== 'object' || parsed === null || !('spaceId' in parsed)) return undefined;
  return findSpace(spaces, String(parsed.spaceId))?.id;
}
