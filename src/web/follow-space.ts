import { createParser } from 'eventsource-parser';
import { ProblemError } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { readEvent } from './read-event.ts';
import type { SpaceEvent } from './wire.ts';

export type Connection = 'connecting' | 'live' | 'lost';

// The server writes a comment every 15 s; two missed ones mean the line is dead though nobody said so.
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

type Follow = {
  api: ApiClient;
  spaceId: string;
  signal: AbortSignal;
  onEvents: (events: SpaceEvent[]) => void;
  onConnection: (connection: Connection) => void;
};

/** Reads the events of a space until the signal aborts, reconnecting behind the last one. Throws only when the API refuses. */
export async function followSpace({ api, spaceId, signal, onEvents, onConnection }: Follow): Promise<void> {
  const path = `/v1/spaces/${encodeURIComponent(spaceId)}/events`;
  let lastSeq = 0;
  let wait = FIRST_WAIT_MS;

  while (!signal.aborted) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const body = await api.stream(path, lastSeq, AbortSignal.any([signal, silence.signal]));
      onConnection('live');
      for await (const events of eventsIn(body)) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        wait = FIRST_WAIT_MS;
        if (events.length === 0 || signal.aborted) continue;
        lastSeq = events.at(-1)?.seq ?? lastSeq;
        onEvents(events);
      }
    } catch (fault) {
      if (signal.aborted) return;
      if (fault instanceof ProblemError && fault.status < 500 && fault.status !== 429) throw fault;
    } finally {
      clearTimeout(timer);
    }
    if (signal.aborted) return;
    onConnection('lost');
    await pause(wait * (0.75 + Math.random() / 2), signal); // not all open pages at the same moment after a restart
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** The events of each network chunk together, so that a long backlog is one rendering and not thousands. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<SpaceEvent[]> {
  let arrived: SpaceEvent[] = [];
  const parser = createParser({
    onEvent(frame) {
      const event = readEvent(frame);
      if (event) arrived.push(event);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader(); // Safari cannot iterate a stream with for await
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield arrived;
      arrived = [];
    }
  } finally {
    reader.cancel().catch(() => undefined); // already closed or aborted: nothing left to cancel
  }
}

/** Waits, but no longer once the page has lost interest. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal.addEventListener('abort', finish);
  });
}
