import { sql } from 'kysely';

import type { Trx } from '../src/db/open-database.ts';

type Place = { orgId: string; agentId: string; humanId: string; spaceId: string; from: number; to: number };

/** What cycles leave in the other tables: messages, log, inbox, runs with steps and calls, drafts, a skip now and then. */
export async function leaveTraces(trx: Trx, { orgId, agentId, humanId, spaceId, from, to }: Place): Promise<void> {
  // Ids that sort by age, as the product's do.
  await sql`
    create temporary table made on commit drop as
    select cycle, uuidv7(make_interval(secs => cycle - ${to}::integer - 1)) as run_id, gen_random_uuid() as asked_id,
      gen_random_uuid() as answered_id, gen_random_uuid() as draft_id,
      now() - make_interval(secs => ${to}::integer + 1 - cycle) as at
    from generate_series(${from}::integer, ${to}::integer) as cycle`.execute(trx);
  await sql`
    insert into messages (id, org_id, space_id, seq, sender_id, sender_name, sender_kind, text, run_id, created_at)
    select asked_id, ${orgId}::uuid, ${spaceId}::uuid, message_seq + 2 * (cycle - ${from}::integer) + 1,
      ${humanId}::uuid, 'Ana', 'human', repeat('asked ', 40), null, at from made, spaces where spaces.id = ${spaceId}::uuid
    union all
    select answered_id, ${orgId}::uuid, ${spaceId}::uuid, message_seq + 2 * (cycle - ${from}::integer) + 2,
      ${agentId}::uuid, 'Ada', 'agent', repeat('answered ', 60), run_id, at from made, spaces where spaces.id = ${spaceId}::uuid`.execute(
    trx,
  );
  await sql`
    insert into space_events (space_id, seq, org_id, type, data, created_at)
    select ${spaceId}::uuid, event_seq + 4 * (cycle - ${from}::integer) + place, ${orgId}::uuid, type,
      jsonb_build_object('runId', run_id, 'text', repeat('word ', 60)), at
    from made, spaces, unnest(array['message.created', 'agent.status', 'message.created', 'agent.status'])
      with ordinality as types (type, place)
    where spaces.id = ${spaceId}::uuid`.execute(trx);
  await sql`
    update spaces set message_seq = message_seq + 2 * ${to - from + 1}::integer, event_seq = event_seq + 4 * ${to - from + 1}::integer
    where id = ${spaceId}::uuid`.execute(trx);
  await sql`
    insert into runs (id, org_id, agent_id, cycle, status, model, agent_version, prompt_hash, inbox_message, event_count, started_at, ended_at)
    select run_id, ${orgId}::uuid, ${agentId}::uuid, cycle, 'committed', 'rehearsal:instant', 1, '\\x00',
      json_build_object('role', 'user', 'content', repeat('asked ', 40)), 1, at, at from made order by cycle`.execute(
    trx,
  );
  await sql`
    insert into run_steps (run_id, step, org_id, generation, finish_reason, usage, started_at)
    select run_id, step, ${orgId}::uuid, json_build_object('content', repeat('answered ', 60)), 'stop', '{}', at
    from made, generate_series(0, 2) as step`.execute(trx);
  await sql`
    insert into tool_calls (id, org_id, run_id, step, call_id, name, input, status, output)
    select gen_random_uuid(), ${orgId}::uuid, run_id, step, 'call-' || step, 'send_message',
      json_build_object('text', repeat('answered ', 60)), 'done', '{}' from made, generate_series(0, 1) as step`.execute(
    trx,
  );
  await sql`
    insert into inbox_events (id, org_id, agent_id, type, space_id, message_id, sender_id, status, run_id, created_at, dispatched_at, ended_at)
    select gen_random_uuid(), ${orgId}::uuid, ${agentId}::uuid, 'message', ${spaceId}::uuid, asked_id, ${humanId}::uuid,
      'done', run_id, at, at, at from made order by cycle`.execute(trx);
  await sql`
    insert into drafts (id, org_id, space_id, run_id, attempt, created_at, ended_at, pruned)
    select draft_id, ${orgId}::uuid, ${spaceId}::uuid, run_id, 1, at, at, true from made`.execute(trx);
  await sql`
    insert into skips (id, org_id, agent_id, reason, model, input_tokens, output_tokens, event_ids, created_at)
    select gen_random_uuid(), ${orgId}::uuid, ${agentId}::uuid, 'for Ben', 'rehearsal:instant', 1000, 10, '{}', at
    from made where cycle % 4 = 0`.execute(trx);
}
