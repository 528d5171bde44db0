import { expect } from 'vitest';

import type { Db } from '../../src/db/open-database.ts';
import { first, second } from './greeting-script.ts';
import { readFromStart, type Room, type Watcher } from './room.ts';
import { complaints } from './roles.ts';
import { eventually } from './world.ts';

/** The bar for every recovery: counted from the moment the missing part is back. */
const RESUME_MS = 15_000;

/** Waits until the agent has dealt with everything in its inbox, `count` events or more. */
export async function settles(db: Db, room: Room, count = 1, milliseconds = RESUME_MS): Promise<void> {
  const statuses = async (): Promise<string[]> => {
    const rows = await db.selectFrom('inbox_events').select('status').where('agent_id', '=', room.agentId).execute();
    return rows.map((row) => row.status);
  };
  const isOpen = (status: string): boolean => status === 'pending' || status === 'claimed';
  try {
    await eventually(`${count} inbox events of the agent are done and none is open`, milliseconds, async () => {
      const found = await statuses();
      return found.length >= count && !found.some(isOpen);
    });
  } catch (error) {
    const found = await statuses().catch(() => ['unknown']);
    throw new Error(`the inbox holds ${found.join(', ') || 'nothing'}; complaints:\n${complaints()}`, { cause: error });
  }
}

/**
 * What must hold after any fault, once the greeter has settled: everything said was answered exactly once and in order,
 * both counters of the space have no gap, and nothing is left half done.
 */
export async function checkRoom(db: Db, room: Room, said: string[]): Promise<void> {
  const messages = await db
    .selectFrom('messages')
    .select(['seq', 'sender_kind', 'text'])
    .where('space_id', '=', room.spaceId)
    .orderBy('seq')
    .execute();
  expect(
    messages.map((message) => message.seq),
    'seq of messages',
  ).toEqual(upTo(messages.length));
  const of = (kind: string): string[] => messages.filter((row) => row.sender_kind === kind).map((row) => row.text);
  expect(of('human'), 'what Ana said').toEqual(said);

  // Messages that came together are answered together; how they fell into cycles is not fixed, the cycles' count is theirs.
  const runs = await db.selectFrom('runs').selectAll().where('agent_id', '=', room.agentId).orderBy('cycle').execute();
  expect(
    runs.map((run) => run.status),
    'runs',
  ).toEqual(runs.map(() => 'committed'));
  expect(
    runs.map((run) => run.cycle),
    'cycles',
  ).toEqual(upTo(runs.length));
  const events = await db
    .selectFrom('inbox_events')
    .innerJoin('messages', 'messages.id', 'inbox_events.message_id')
    .select(['inbox_events.status', 'inbox_events.run_id', 'messages.text'])
    .where('inbox_events.agent_id', '=', room.agentId)
    .orderBy('inbox_events.position')
    .execute();
  expect(
    events.map((event) => event.text),
    'events delivered',
  ).toEqual(said);
  expect(new Set(events.map((event) => event.status)), 'events').toEqual(new Set(['done']));
  const answers = runs.flatMap((run) => {
    const heard = events.filter((event) => event.run_id === run.id).map((event) => event.text);
    expect(heard.length, `events of cycle ${run.cycle}`).toBe(run.event_count);
    return [first(heard), second(heard)];
  });
  expect(of('agent'), 'what Ada answered').toEqual(answers);

  const log = await db
    .selectFrom('space_events')
    .select('seq')
    .where('space_id', '=', room.spaceId)
    .orderBy('seq')
    .execute();
  expect(
    log.map((event) => event.seq),
    'seq of the log',
  ).toEqual(upTo(log.length));
  const drafts = await db
    .selectFrom('drafts')
    .select('id')
    .where('space_id', '=', room.spaceId)
    .where('ended_at', 'is', null)
    .execute();
  expect(drafts, 'drafts left open').toEqual([]);
}

/** A reader that was there all the time and one that comes now see the same. */
export async function checkViews(db: Db, url: string, room: Room, watcher: Watcher): Promise<void> {
  const { event_seq: last } = await db
    .selectFrom('spaces')
    .select('event_seq')
    .where('id', '=', room.spaceId)
    .executeTakeFirstOrThrow();
  await eventually(`the reader comes to event ${last}`, RESUME_MS, async () => watcher.view().lastSeq >= last);
  await watcher.stop();
  const fresh = await readFromStart(url, room, last);
  expect(watcher.view(), 'the view of the reader that stayed').toEqual(fresh);
  expect(fresh.drafts, 'drafts in view').toEqual([]);
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'seq', 'text'])
    .where('space_id', '=', room.spaceId)
    .orderBy('seq')
    .execute();
  expect(fresh.messages.map(({ id, seq, text }) => ({ id, seq, text }))).toEqual(rows);
}

/** All of the agent's memory, with ids and times replaced by their order of appearance. */
export async function memoryOf(db: Db, room: Room): Promise<unknown> {
  const rows = await db
    .selectFrom('consciousness_messages')
    .select(['seq', 'cycle', 'kind', 'message'])
    .where('agent_id', '=', room.agentId)
    .orderBy('seq')
    .execute();
  return withoutIdentity(rows);
}

const IDENTITY =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|call-[0-9a-f]{12}-\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

function withoutIdentity(value: unknown): unknown {
  const names = new Map<string, string>();
  const text = JSON.stringify(value).replaceAll(IDENTITY, (found) => {
    if (found.endsWith('Z')) return 'a-time';
    if (!names.has(found)) names.set(found, `id-${names.size + 1}`);
    return names.get(found)!;
  });
  return JSON.parse(text);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
