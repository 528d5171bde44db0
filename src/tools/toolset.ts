import type { Embedder } from '../recall/embedder.ts';
import { noEmbedder } from '../recall/no-embedder.ts';
import type { BuiltInTool } from './built-in-tool.ts';
import { deleteGoals } from './delete-goals.ts';
import { deleteMemories } from './delete-memories.ts';
import { deletePlans } from './delete-plans.ts';
import { enterSpace } from './enter-space.ts';
import { getGoals } from './get-goals.ts';
import { getMemories } from './get-memories.ts';
import { getMyRuns } from './get-my-runs.ts';
import { getPlans } from './get-plans.ts';
import { leaveSpace } from './leave-space.ts';
import { peekInbox } from './peek-inbox.ts';
import { readMessages } from './read-messages.ts';
import { readResult } from './read-result.ts';
import { recallTool } from './recall.ts';
import { sendMessage } from './send-message.ts';
import { setGoals } from './set-goals.ts';
import { setMemories } from './set-memories.ts';
import { setPlans } from './set-plans.ts';
import { skip } from './skip.ts';

export type ToolDeps = {
  ring: (agentIds: string[]) => void;
  embedder: Embedder;
  /** Recurring plans run at most this often. */
  floorSeconds: number;
  wakePlanner: () => void;
};

/** Every tool that runs. To add one: write its file beside this one and name it here. */
export function builtInTools(deps: ToolDeps): BuiltInTool[] {
  return [
    enterSpace,
    leaveSpace,
    readMessages,
    sendMessage(deps.ring),
    peekInbox,
    getMyRuns,
    readResult,
    recallTool(deps.embedder),
    setMemories,
    getMemories,
    deleteMemories,
    setGoals,
    getGoals,
    deleteGoals,
    setPlans(deps),
    getPlans,
    deletePlans(deps),
  ] as BuiltInTool[];
}

export const TOOL_NAMES: readonly string[] = [
  ...builtInTools({
    ring: () => undefined,
    embedder: noEmbedder(),
    floorSeconds: 60,
    wakePlanner: () => undefined,
  }).map((tool) => tool.name),
  skip.name,
];
