import { newId } from '../db/id.ts';
import type { Db } from '../db/open-database.ts';
import { crashPoint } from './crash-point.ts';
import { holdFence } from './fence.ts';
import { earlierAnswer, type ToolCall } from './run-tool.ts';
import { writeCall } from './write-call.ts';

const NOTE =
  'under way; the result comes to your inbox as a tool_result with this callId, perhaps much later. Go on without it, and do not call again for the same thing.';

/**
 * Writes down a call that somebody outside will answer, and lets the cycle go on. The row is all there is of it: once
 * it is committed the call can be found and answered, and a retried step finds it too.
 */
export async function deferCall(db: Db, call: ToolCall): Promise<object> {
  const earlier = await earlierAnswer(db, call);
  if (earlier !== undefined) return earlier;

  crashPoint('tool.before_effect');
  const id = newId();
  const told = { status: 'pending', callId: id, note: NOTE };
  await db.transaction().execute(async (trx) => {
    await holdFence(trx, call.run);
    await writeCall(trx, call, { id, status: 'pending', told: JSON.stringify(told) });
  });
  crashPoint('tool.after_effect');
  return told;
}
