import { asSchema, tool, type Schema, type ToolSet } from 'ai';
import type { z } from 'zod';

import type { AgentConfig } from '../src/agents/load-agent.ts';
import type { Db } from '../src/db/open-database.ts';
import { skip } from '../src/tools/skip.ts';
import type { BuiltInTool } from '../src/tools/built-in-tool.ts';
import type { Run } from '../src/cycle/begin-run.ts';
import type { CycleWatch } from '../src/cycle/cycle-watch.ts';
import { runTool, ToolFault } from '../src/cycle/run-tool.ts';
import type { Stage } from './stage.ts';

export type RunToolset = {
  tools: ToolSet;
  /** Set when a tool met a fault that is not the model's business, such as Postgres being away: the attempt must end. */
  fault(): unknown;
};

/** The agent's tools as the SDK takes them, each call going through the run's journal of effects. */
export function toolsetForRun(input: {
  db: Db;
  run: Run;
  agent: AgentConfig;
  builtIns: BuiltInTool[];
  step: () => number;
  stage: Stage;
  watch: CycleWatch;
  abort: (reason: unknown) => void;
}): RunToolset {
  const { db, run, agent } = input;
  let fault: unknown;
  // Calls that use the active space form one line; the SDK starts calls in the model's order.
  let line: Promise<unknown> = Promise.resolve();

  const perform = async (builtIn: BuiltInTool, callId: string, toolInput: Record<string, unknown>): Promise<object> => {
    const tasks: (() => void)[] = [];
    const draft = await input.stage.draftOf(callId);
    const output = await runTool(
      db,
      {
        run,
        step: input.step(),
        callId,
        name: builtIn.name,
        input: toolInput,
        longestOutput: agent.settings.maxToolResultChars,
      },
      (trx) => {
        tasks.length = 0;
        const context = {
          trx,
          orgId: run.orgId,
          agent: { id: agent.id, name: agent.name },
          runId: run.id,
          draft,
          longestOutput: agent.settings.maxToolResultChars,
          afterCommit: (task: () => void) => void tasks.push(task),
        };
        return builtIn.run(context, toolInput);
      },
    );
    for (const task of tasks) task();
    if ('truncated' in output && 'note' in output) {
      const data = {
        agentId: agent.id,
        runId: run.id,
        kind: 'truncation',
        detail: `${builtIn.name}: ${String(output.note)}`,
      } as const;
      input.stage.announce({ type: 'agent.warning', data });
    }
    input.stage.finished({ callId, name: builtIn.name }, { output });
    return output;
  };

  const execute = async (builtIn: BuiltInTool, callId: string, toolInput: Record<string, unknown>): Promise<object> => {
    try {
      if (!builtIn.usesActiveSpace) return await perform(builtIn, callId, toolInput);
      const mine = line.then(() => perform(builtIn, callId, toolInput));
      line = mine.catch(() => undefined); // one failure leaves the others
      return await mine;
    } catch (error) {
      if (error instanceof ToolFault) input.stage.finished({ callId, name: builtIn.name }, { error: error.message });
      else {
        fault ??= error;
        input.abort(error);
      }
      throw error;
    }
  };

  const allowed = (name: string): boolean =>
    agent.tools === undefined || agent.tools.includes(name) || name === skip.name;
  const tools: ToolSet = {};
  for (const builtIn of input.builtIns.filter((candidate) => allowed(candidate.name))) {
    tools[builtIn.name] = tool({
      description: builtIn.description,
      inputSchema: schemaOf(builtIn.inputSchema),
      execute: (toolInput, { toolCallId: callId }) =>
        input.watch.tool({ callId, name: builtIn.name, step: input.step(), input: toolInput }, () =>
          execute(builtIn, callId, toolInput),
        ),
    });
  }
  tools[skip.name] = tool({ description: skip.description, inputSchema: schemaOf(skip.inputSchema) });
  return { tools, fault: () => fault };
}

// Written out as JSON once a process: fourteen schemas, twice a cycle, held up the first word by 4 ms.
const written = new WeakMap<z.ZodObject, Schema<Record<string, unknown>>>();

function schemaOf(schema: z.ZodObject): Schema<Record<string, unknown>> {
  const known = written.get(schema) ?? asSchema(schema);
  written.set(schema, known);
  return known;
}

/** The tools as the model is told of them, for counting what they take of its window. */
export function describeTools(tools: ToolSet): string {
  return JSON.stringify(
    Object.entries(tools).map(([name, one]) => [name, one.description, asSchema(one.inputSchema).jsonSchema]),
  );
}
