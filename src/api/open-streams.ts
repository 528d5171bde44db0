import { AppError } from '../errors.ts';

// A page holds one; fifty are a person with many tabs and scripts, more is a leak or an attack.
const MOST_PER_KEY = 50;

/** The event streams of this process: counted per key, and ended together when it stops. */
export type OpenStreams = {
  /** Refuses one too many. The returned function says that the stream is over. */
  admit(keyId: string, end: () => void): () => void;
  count(): number;
  endAll(): void;
};

export function createOpenStreams(): OpenStreams {
  const open = new Map<string, Set<() => void>>();
  return {
    admit(keyId, end) {
      const mine = open.get(keyId) ?? new Set();
      if (mine.size >= MOST_PER_KEY) {
        throw new AppError('too-many-requests', `this key has ${MOST_PER_KEY} streams open; close one first`);
      }
      open.set(keyId, mine.add(end));
      return () => {
        mine.delete(end);
        if (mine.size === 0 && open.get(keyId) === mine) open.delete(keyId);
      };
    },
    count: () => [...open.values()].reduce((sum, streams) => sum + streams.size, 0),
    endAll() {
      for (const streams of open.values()) for (const end of streams) end();
    },
  };
}
