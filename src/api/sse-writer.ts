import type { Response } from 'express';

export type SseWriter = {
  /** Settles when the reader has room for more, or is gone. */
  write(frame: string): Promise<void>;
  isOpen(): boolean;
  close(): void;
};

const BEAT_MS = 15_000;
// A reader that takes nothing for this long is gone or hostile; it can come back and resume.
const PATIENCE_MS = 30_000;
const MOST_BUFFERED_BYTES = 1_048_576;

/** Sends the head of an event stream at once, then frames as fast as the reader takes them. */
export function createSseWriter(
  response: Response,
  { beatMs = BEAT_MS, patienceMs = PATIENCE_MS }: { beatMs?: number; patienceMs?: number } = {},
): SseWriter {
  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-store',
    'X-Accel-Buffering': 'no', // nginx would hold events back until it has a page of them
  });
  response.flushHeaders();
  response.write('retry: 1000\n\n');
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': beat\n\n');
  }, beatMs);

  const isOpen = (): boolean => !response.writableEnded && !response.destroyed;
  return {
    isOpen,
    async write(frame) {
      if (!isOpen() || response.write(frame)) return;
      if (response.writableLength > MOST_BUFFERED_BYTES || !(await drained(response, patienceMs))) response.destroy();
    },
    close() {
      clearInterval(beat);
      response.end();
    },
  };
}

/** False when the reader ran out of time. */
function drained(response: Response, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (inTime: boolean) => () => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onDrain);
      resolve(inTime);
    };
    const onDrain = settle(true);
    const timer = setTimeout(settle(false), patienceMs);
    response.on('drain', onDrain).on('close', onDrain);
  });
}
