import type { Response } from 'express';

import type { Db } from '../db/open-database.ts';
import { errorMessage } from '../errors.ts';
import { isKeyLive } from '../keys/find-key.ts';
import type { Runtime } from '../runtime.ts';
import { isMember } from '../spaces/is-member.ts';
import { readEvents, type LoggedEvent } from '../spaces/read-events.ts';
import type { OrgCaller } from './caller.ts';
import { createBell } from './bell.ts';
import type { OpenStreams } from './open-streams.ts';
import { createSseWriter, type SseWriter } from './sse-writer.ts';

// 200 rows of at most 32 KB: a reader that stalls in the middle of a page holds 6 MB, not 16 as with 500.
const PAGE = 200;
// A NOTIFY is only a hint; this is how late a lost one is noticed. The key is looked at as often.
const POLL_MS = 2_000;

/**
 * A space's log from `after` on, for as long as the reader stays and may see it. Subscribes before the first read:
 * an event that commits in between rings the bell and is read by the next page.
 */
export async function streamSpace(input: {
  runtime: Runtime;
  streams: OpenStreams;
  caller: OrgCaller;
  spaceId: string;
  after: number;
  response: Response;
}): Promise<void> {
  const { runtime, caller, spaceId, response } = input;
  const bell = createBell();
  const released = input.streams.admit(caller.keyId, () => response.end());
  const unsubscribe = runtime.feed.subscribe(spaceId, bell.ring);
  response.on('close', bell.ring);
  const writer = createSseWriter(response);
  try {
    await follow({ ...input, db: runtime.db, wait: () => bell.wait(POLL_MS), writer, log: runtime.log });
  } finally {
    writer.close();
    unsubscribe();
    released();
  }
}

type Following = {
  db: Db;
  caller: OrgCaller;
  spaceId: string;
  after: number;
  writer: SseWriter;
  wait: () => Promise<void>;
  log: Runtime['log'];
};

async function follow(input: Following): Promise<void> {
  const { db, caller, spaceId, writer } = input;
  let { after } = input;
  let seenAt = Date.now();
  const stillAllowed = async (now = false): Promise<boolean> => {
    if (!now && Date.now() - seenAt < POLL_MS) return true;
    seenAt = Date.now();
    return maySee(db, caller, spaceId);
  };

  while (writer.isOpen()) {
    try {
      if (!(await stillAllowed())) return;
      const events = await readEvents(db, { orgId: caller.orgId, spaceId, after, limit: PAGE });
      for (const event of events) {
        if (!(await stillAllowed())) return; // a slow reader may be long at one page
        await writer.write(frame(event));
        if (!writer.isOpen()) return;
        after = event.seq;
        if (isRemovalOf(event, caller) && !(await stillAllowed(true))) return;
      }
      if (events.length === PAGE) continue;
    } catch (error) {
      // Postgres is away: the reader keeps its place and hears the heartbeat until it is back.
      input.log.warn({ error: errorMessage(error), spaceId }, 'an event stream could not read the log; trying again');
      seenAt = 0;
    }
    await input.wait();
  }
}

/** The log itself says when a member was removed, so not one event behind that is sent, unless they came back since. */
function isRemovalOf(event: LoggedEvent, caller: OrgCaller): boolean {
  if (event.type !== 'member.removed' || caller.role !== 'entity') return false;
  const { entityId } = JSON.parse(event.json) as { entityId?: string };
  return entityId === caller.entityId;
}

async function maySee(db: Db, caller: OrgCaller, spaceId: string): Promise<boolean> {
  if (!(await isKeyLive(db, caller.keyId))) return false;
  return caller.role === 'admin' || isMember(db, spaceId, caller.entityId);
}

// JSON from Postgres has no raw line breaks, so one data line holds it; types are our own words.
function frame(event: LoggedEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${event.json}\n\n`;
}
