import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';

/** What an agent is told about a waiting event. Rows are the truth, this is the bell and what the Web UI shows. */
export type EventReference = {
  id: string;
  type: string;
  sender?: string;
  space?: string;
  urgent?: boolean;
  preview?: string;
};

/** `again` rings even when every reference was seen before: the sweep saw rows still waiting. */
export type InboxSignal = { events: EventReference[]; more?: number; again?: boolean };

export type AgentInput = {
  agentId: string;
  orgId: string;
  name: string;
  carried?: CarriedState;
  /** Tests roll over sooner. */
  rollover?: { signals: number; events: number };
  /** Tests notice a dead worker sooner. */
  heartbeatMs?: number;
};

/** What survives continue-as-new, well under 16 KB: bounded ids and counters. */
export type CarriedState = {
  waiting: EventReference[];
  rung: boolean;
  seen: string[];
  cycle: number;
  summary: string;
  retrying?: { runId: string; waitMs: number };
};

export type ThinkInput = { agentId: string; runId: string };

export type ThinkOutcome = {
  kind: 'committed' | 'skipped' | 'stopped' | 'failed' | 'empty';
  /** Cycles the agent has lived through, this one included when it was kept. */
  cycle: number;
  /** Events this run has dealt with for good. */
  consumed: string[];
  /** More events wait in Postgres, whether or not their signal has come. */
  more: boolean;
  summary?: string;
  /** The memory has outgrown its limit: compact before the next cycle. */
  compact?: boolean;
  /** On `failed`: try the same run again after this; absent when the run was given up. */
  retryInMs?: number;
};

export type SettleInput = ThinkInput & { as: 'stopped' | 'failed'; reason: string };

export type CompactInput = { agentId: string };

export type CompactOutcome = { cycle: number; beforeTokens: number; afterTokens: number; cyclesInFull: number };

export type AgentState = {
  status: 'asleep' | 'thinking' | 'retrying' | 'compacting';
  cycle: number;
  waiting: number;
  runId?: string;
  summary: string;
};

/** What a Schedule hands to each firing of a plan; the rest is in the plan's row. */
export type PlanInput = { planId: string };

/** `dueAt`: the nominal time, however late it is. */
export type FireInput = PlanInput & { dueAt: string };

/** `fired` is false when the row awaits another time: the run was delivered before, or the plan has changed since. */
export type FireOutcome = { fired: boolean };

export const AGENT_WORKFLOW = 'agent';
export const PLAN_WORKFLOW = 'plan';

export function agentWorkflowId(agentId: string): string {
  return `agent:${agentId}`;
}

export function planScheduleId(planId: string): string {
  return `plan:${planId}`;
}

export const inboxSignal = defineSignal<[InboxSignal]>('inbox');
export const stopSignal = defineSignal<[{ runId: string }]>('stop');
export const configChangedSignal = defineSignal<[{ name: string }]>('configChanged');
export const statusQuery = defineQuery<AgentState>('status');

export const searchAttributes = {
  org: defineSearchAttributeKey('WakefulOrg', SearchAttributeType.KEYWORD),
  agent: defineSearchAttributeKey('WakefulAgent', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('WakefulStatus', SearchAttributeType.KEYWORD),
};
