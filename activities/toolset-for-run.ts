import { asSchema, jsonSchema, tool, type Schema, type ToolSet } from 'ai';
import type { z } from 'zod';

import type { AgentConfig } from '../src/agents/load-agent.ts';
import type { Db } from '../src/db/open-database.ts';
import type { ExternalTool } from '../src/external-tools/external-tool.ts';
import { skip } from '../src/tools/skip.ts';
import type { BuiltInTool } from '../src/tools/built-in-tool.ts';
import type { Run } from '../src/cycle/begin-run.ts';
import type { CycleWatch } from '../src/cycle/cycle-watch.ts';
import { deferCall } from '../src/cycle/defer-call.ts';
import { runTool, ToolFault, type ToolCall } from '../src/cycle/run-tool.ts';
import type { Stage } from './stage.ts';

export type RunToolset = {
  tools: ToolSet;
  /** Set when a tool met a fault that is not the model's business, such as Postgres being away: the attempt must end. */
  fault(): unknown;
};

type Offer = {
  name: string;
  description: string;
  inputSchema: Schema<Record<string, unknown>>;
  usesActiveSpace: boolean;
  perform(call: ToolCall): Promise<object>;
};

/** The agent's tools as the SDK takes them, each call going through the run's journal of effects. */
export function toolsetForRun(input: {
  db: Db;
  run: Run;
  agent: AgentConfig;
  builtIns: BuiltInTool[];
  /** Of the organisation's tools, those the agent may call. */
  externals: ExternalTool[];
  step: () => number;
  stage: Stage;
  watch: CycleWatch;
  abort: (reason: unknown) => void;
}): RunToolset {
  const { db, run, agent } = input;
  let fault: unknown;
  // Calls that use the active space form one line; the SDK starts calls in the model's order.
  let line: Promise<unknown> = Promise.resolve();

  const runBuiltIn = async (builtIn: BuiltInTool, call: ToolCall): Promise<object> => {
    const tasks: (() => void)[] = [];
    const draft = await input.stage.draftOf(call.callId);
    const output = await runTool(db, call, (trx) => {
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
      return builtIn.run(context, call.input);
    });
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
    return output;
  };

  const execute = async (offer: Offer, callId: string, toolInput: Record<string, unknown>): Promise<object> => {
    const { name } = offer;
    const longestOutput = agent.settings.maxToolResultChars;
    const perform = async (): Promise<object> => {
      const output = await offer.perform({ run, step: input.step(), callId, name, input: toolInput, longestOutput });
      input.stage.finished({ callId, name }, { output });
      return output;
    };
    try {
      if (!offer.usesActiveSpace) return await perform();
      const mine = line.then(perform);
      line = mine.catch(() => undefined); // one failure leaves the others
      return await mine;
    } catch (error) {
      if (error instanceof ToolFault) input.stage.finished({ callId, name }, { error: error.message });
      else {
        fault ??= error;
        input.abort(error);
      }
      throw error;
    }
  };

  const allowed = (name: string): boolean =>
    agent.tools === undefined || agent.tools.includes(name) || name === skip.name;
  const offers: Offer[] = [
    ...input.builtIns
      .filter((builtIn) => allowed(builtIn.name))
      .map((builtIn) => ({
        ...builtIn,
        inputSchema: schemaOf(builtIn.inputSchema),
        perform: (call: ToolCall) => runBuiltIn(builtIn, call),
      })),
    ...input.externals.map((external) => ({
      ...external,
      inputSchema: jsonSchema(external.inputSchema, { validate: requireObject }),
      usesActiveSpace: false,
      perform: (call: ToolCall) => deferCall(db, call),
    })),
  ];
  const tools: ToolSet = {};
  for (const offer of offers) {
    const { name, description, inputSchema } = offer;
    tools[name] = tool({
      description,
      inputSchema,
      execute: (toolInput, { toolCallId: callId }) =>
        input.watch.tool({ callId, name, step: input.step(), input: toolInput }, () =>
          execute(offer, callId, toolInput),
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

type Checked = { success: true; value: Record<string, unknown> } | { success: false; error: Error };

/** The rest of the schema is for the model; whoever answers the call says what is wrong with its input. */
function requireObject(value: unknown): Checked {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { success: true, value: value as Record<string, unknown> };
  return { success: false, error: new TypeError('the input must be an object') };
}

/** The tools as the model is told of them, for counting what they take of its window. */
export function describeTools(tools: ToolSet): string {
  return JSON.stringify(
    Object.entries(tools).map(([name, one]) => [name, one.description, asSchema(one.inputSchema).jsonSchema]),
  );
}
