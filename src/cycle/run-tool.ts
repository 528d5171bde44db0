import { newId } from '../db/id.ts';
import type { Db, Trx } from '../db/open-database.ts';
import { wellFormedJson } from '../db/well-formed.ts';
import { errorMessage, isAppError } from '../errors.ts';
import { crashPoint } from './crash-point.ts';
import { asTold } from './as-told.ts';
import { cutOutput } from './cut-output.ts';
import { holdFence } from './fence.ts';
import { writeCall } from './write-call.ts';

export type ToolCall = {
  run: { id: string; orgId: string; fence: number };
  step: number;
  callId: string;
  name: string;
  input: Record<string, unknown>;
  longestOutput: number;
};

export class ToolFault extends Error {}

/**
 * Runs a built-in tool once, however often the step is retried: its effect and its row are one transaction, and a call
 * that has a row is answered from it.
 */
export async function runTool(db: Db, call: ToolCall, effect: (trx: Trx) => Promise<object>): Promise<object> {
  const earlier = await earlierAnswer(db, call);
  if (earlier !== undefined) return earlier;

  crashPoint('tool.before_effect');
  try {
    const output = await db.transaction().execute(async (trx) => {
      await holdFence(trx, call.run);
      const result = wellFormedJson(await effect(trx));
      return writeOutput(trx, call, 'done', result);
    });
    crashPoint('tool.after_effect');
    return output;
  } catch (error) {
    if (!isAppError(error) || error.code === 'fenced-off') throw error; // not the model's fault: the attempt fails
    const output = { error: errorMessage(error) };
    await db.transaction().execute(async (trx) => {
      await holdFence(trx, call.run);
      await writeOutput(trx, call, 'failed', output);
    });
    return answerFrom({ status: 'failed', output });
  }
}

/** What the model was told when an earlier attempt made this call. */
export async function earlierAnswer(db: Db, call: ToolCall): Promise<object | undefined> {
  const row = await db
    .selectFrom('tool_calls')
    .select(['status', 'output', 'told'])
    .where('run_id', '=', call.run.id)
    .where('call_id', '=', call.callId)
    .executeTakeFirst();
  return row && answerFrom(asTold(row));
}

function answerFrom(row: { status: string; output: object | null }): object {
  const output = row.output ?? {};
  if (row.status !== 'failed') return output;
  throw new ToolFault('error' in output ? String(output.error) : 'the tool failed');
}

/** What came of a call, cut to what the model may be told. */
async function writeOutput(trx: Trx, call: ToolCall, status: 'done' | 'failed', result: object): Promise<object> {
  const id = newId();
  const { output, whole } = cutOutput(result, call.longestOutput, id);
  await writeCall(trx, call, { id, status, output: JSON.stringify(output), whole_output: whole, ended_at: new Date() });
  return output;
}
