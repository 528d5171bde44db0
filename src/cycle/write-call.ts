import type { Insertable } from 'kysely';

import type { Trx } from '../db/open-database.ts';
import { wellFormedJson } from '../db/well-formed.ts';
import type { ToolCallTable } from './cycle-table.ts';
import type { ToolCall } from './run-tool.ts';

type Outcome = Pick<Insertable<ToolCallTable>, 'id' | 'status' | 'output' | 'told' | 'whole_output' | 'ended_at'>;

/** The row of a call: which one it was, and what came of it. */
export async function writeCall(trx: Trx, call: ToolCall, outcome: Outcome): Promise<void> {
  await trx
    .insertInto('tool_calls')
    .values({
      org_id: call.run.orgId,
      run_id: call.run.id,
      step: call.step,
      call_id: call.callId,
      name: call.name,
      input: JSON.stringify(wellFormedJson(call.input)),
      ...outcome,
    })
    .execute();
}
