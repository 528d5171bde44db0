import { sql } from 'kysely';

import type { Db, Trx } from '../db/open-database.ts';
import { notifySpaces } from './append-events.ts';
import type { SpaceEvent } from './space-event.ts';

export type LiveEvent = { orgId: string; spaceId: string; runId: string; event: SpaceEvent };

export type EventWriter = {
  write(event: LiveEvent): void;
  /** Settles when everything written so far is in the log. What must follow a draft's deltas waits for this. */
  drained(): Promise<void>;
};

// The first event of a quiet moment goes out at once; after it one insert serves every cycle of the process.
// 40 ms: at 10 ms fifty streaming agents kept a core busy with transactions; at 150 ms readers saw text stutter.
const TICK_MS = 40;
const RETRY_MS = 500;

/** The one batcher of a process: deltas and notices of all its cycles, one transaction a tick. */
export function createEventWriter(db: Db, onError: (error: unknown) => void): EventWriter {
  let queue: LiveEvent[] = [];
  let flushing: Promise<void> | undefined;
  let flushedAt = 0;

  const flushUntilEmpty = async (): Promise<void> => {
    while (queue.length > 0) {
      const wait = flushedAt + TICK_MS - Date.now();
      if (wait > 0) await pause(wait);
      const batch = queue;
      queue = [];
      flushedAt = Date.now();
      try {
        await db.transaction().execute((trx) => writeBatch(trx, batch));
      } catch (error) {
        onError(error);
        queue = [...batch, ...queue]; // Postgres is away: order is kept and nothing is dropped
        await pause(RETRY_MS);
      }
    }
  };
  const start = (): Promise<void> => {
    flushing ??= flushUntilEmpty().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };

  return {
    write(event) {
      queue.push(event);
      void start();
    },
    async drained() {
      while (queue.length > 0 || flushing !== undefined) await start();
    },
  };
}

async function writeBatch(trx: Trx, batch: LiveEvent[]): Promise<void> {
  const spaceIds = [...new Set(batch.map((item) => item.spaceId))].toSorted();
  // Locked in id order: two batchers that met in opposite order would deadlock.
  const spaces = await trx
    .selectFrom('spaces')
    .select(['id', 'event_seq'])
    .where('id', 'in', spaceIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const next = new Map(spaces.map((space) => [space.id, space.event_seq]));

  const ended = await endedDrafts(trx, batch);
  const rows = batch
    .filter((item) => next.has(item.spaceId) && !ended.has(draftOf(item.event) ?? ''))
    .map((item) => {
      const seq = next.get(item.spaceId)! + 1;
      next.set(item.spaceId, seq);
      return {
        space_id: item.spaceId,
        seq,
        org_id: item.orgId,
        type: item.event.type,
        data: JSON.stringify(item.event.data),
        draft_id: item.event.type === 'message.delta' ? item.event.data.draftId : null,
      };
    });
  if (rows.length === 0) return;

  const started = batch.flatMap((item) =>
    item.event.type === 'message.started'
      ? [
          {
            id: item.event.data.draftId,
            org_id: item.orgId,
            space_id: item.spaceId,
            run_id: item.runId,
            attempt: item.event.data.attempt,
          },
        ]
      : [],
  );
  if (started.length > 0) await trx.insertInto('drafts').values(started).execute();
  await trx.insertInto('space_events').values(rows).execute();
  const ids = [...next.keys()];
  await sql`
    update spaces set event_seq = counted.seq
    from unnest(${ids}::uuid[], ${ids.map((id) => next.get(id)!)}::bigint[]) as counted (id, seq)
    where spaces.id = counted.id`.execute(trx);
  await notifySpaces(trx, ids);
}

/** Drafts that a newer attempt has discarded: what a zombie still sends for them is refused. */
async function endedDrafts(trx: Trx, batch: LiveEvent[]): Promise<Set<string>> {
  const ids = [...new Set(batch.flatMap((item) => draftOf(item.event) ?? []))];
  if (ids.length === 0) return new Set();
  const rows = await trx
    .selectFrom('drafts')
    .select('id')
    .where('id', 'in', ids)
    .where('ended_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.id));
}

function draftOf(event: SpaceEvent): string | undefined {
  return event.type === 'message.started' || event.type === 'message.delta' ? event.data.draftId : undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
