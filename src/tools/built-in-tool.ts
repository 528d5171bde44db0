import type { z } from 'zod';

import type { Trx } from '../db/open-database.ts';

export type ToolContext = {
  trx: Trx;
  orgId: string;
  agent: { id: string; name: string };
  runId: string;
  /** The draft that was streamed while the model wrote this call, when there is one. */
  draft: { id: string; spaceId: string; attempt: number } | undefined;
  /** A longer result is cut before the model sees it, in characters of JSON. */
  longestOutput: number;
  /** Runs once the effect is committed, never for a rolled-back one. */
  afterCommit(task: () => void): void;
};

/** One file each: what the model is told, what it may send, what is done. */
export type BuiltInTool<Schema extends z.ZodObject = z.ZodObject> = {
  name: string;
  description: string;
  inputSchema: Schema;
  /** Such calls run one after another in the model's order; others in parallel. */
  usesActiveSpace: boolean;
  run(context: ToolContext, input: z.infer<Schema>): Promise<object>;
};

export function defineTool<Schema extends z.ZodObject>(tool: BuiltInTool<Schema>): BuiltInTool<Schema> {
  return tool;
}
