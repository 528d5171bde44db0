import { createParser } from 'eventsource-parser';

export type StreamedEvent = { id: number; type: string; data: Record<string, unknown> };

export interface TestStream {
  events: StreamedEvent[];
  /** Waits until this holds for what arrived so far; the text says what is awaited. */
  until(what: string, holds: (events: StreamedEvent[]) => boolean): Promise<StreamedEvent[]>;
  /** Settles when the server ends the stream. */
  ended: Promise<void>;
  close(): void;
}

const PATIENCE_MS = 10_000;

/** Opens a space's event stream and collects what it sends. */
export async function openStream(url: string, path: string, key: string, lastEventId?: number): Promise<TestStream> {
  const controller = new AbortController();
  const response = await fetch(`${url}${path}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
    signal: controller.signal,
  });
  if (response.status !== 200) throw new Error(`the stream answered ${response.status}: ${await response.text()}`);
  const events: StreamedEvent[] = [];
  const waiting = new Set<() => void>();
  const parser = createParser({
    onEvent(frame) {
      events.push({
        id: Number(frame.id),
        type: frame.event ?? '',
        data: JSON.parse(frame.data) as StreamedEvent['data'],
      });
    },
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
      for (const look of waiting) look();
    }
  };
  const ended = read().catch(() => undefined);

  return {
    events,
    ended,
    close: () => controller.abort(),
    until(what, holds) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(
              `waited ${PATIENCE_MS} ms for ${what}; ${events.length} events arrived: ${events.map((event) => event.type).join(' ')}`,
            ),
          );
        }, PATIENCE_MS);
        const look = (): void => {
          if (!holds(events)) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(events);
        };
        waiting.add(look);
        look();
      });
    },
  };
}
