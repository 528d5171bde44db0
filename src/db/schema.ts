import type { AgentTable } from '../agents/agent-table.ts';
import type {
  CompactionTable,
  ConsciousnessMessageTable,
  ConsciousnessTable,
} from '../consciousness/consciousness-table.ts';
import type { PromptTable, RunStepTable, RunTable, SkipTable, ToolCallTable } from '../cycle/cycle-table.ts';
import type { EntityTable } from '../entities/entity-table.ts';
import type { ToolTable } from '../external-tools/tool-table.ts';
import type { GoalChangeTable, GoalTable } from '../goals/goal-table.ts';
import type { InboxEventTable } from '../inbox/inbox-table.ts';
import type { ApiKeyTable, IdempotencyKeyTable } from '../keys/key-table.ts';
import type { MemoryChangeTable, MemoryTable } from '../memory/memory-table.ts';
import type { OrganizationTable } from '../organizations/organization-table.ts';
import type { PlanTable } from '../plans/plan-table.ts';
import type { CycleTextTable } from '../recall/cycle-text-table.ts';
import type { MemberTable, MessageTable, SpaceTable } from '../spaces/space-table.ts';
import type { DraftTable, SpaceEventTable } from '../stream/stream-table.ts';

/** The list of tables; each one's row type lives with its queries. */
export interface Schema {
  organizations: OrganizationTable;
  entities: EntityTable;
  api_keys: ApiKeyTable;
  idempotency_keys: IdempotencyKeyTable;
  spaces: SpaceTable;
  members: MemberTable;
  agents: AgentTable;
  messages: MessageTable;
  space_events: SpaceEventTable;
  drafts: DraftTable;
  inbox_events: InboxEventTable;
  consciousness: ConsciousnessTable;
  consciousness_messages: ConsciousnessMessageTable;
  compactions: CompactionTable;
  cycle_texts: CycleTextTable;
  memories: MemoryTable;
  memory_changes: MemoryChangeTable;
  goals: GoalTable;
  goal_changes: GoalChangeTable;
  prompts: PromptTable;
  runs: RunTable;
  run_steps: RunStepTable;
  tool_calls: ToolCallTable;
  skips: SkipTable;
  tools: ToolTable;
  plans: PlanTable;
}
