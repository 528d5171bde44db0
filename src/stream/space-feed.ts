import pg from 'pg';

import { SPACE_CHANNEL } from './append-events.ts';

export type SpaceFeed = {
  /** Calls back when something may have happened in the space. A hint: read the rows, and poll now and then all the same. */
  subscribe(spaceId: string, hint: () => void): () => void;
  close(): Promise<void>;
};

const RECONNECT_MS = 500;

/** One LISTEN connection per process, shared by all its readers. */
export async function openSpaceFeed(url: string, onError: (error: unknown) => void): Promise<SpaceFeed> {
  const hints = new Map<string, Set<() => void>>();
  let closed = false;
  let listening: pg.Client | undefined;

  const ring = (spaceId: string): void => {
    for (const hint of hints.get(spaceId) ?? []) hint();
  };
  const ringAll = (): void => {
    for (const spaceId of hints.keys()) ring(spaceId);
  };

  const connect = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url, keepAlive: true });
    client.on('notification', (notification) => {
      for (const spaceId of (notification.payload ?? '').split(',')) ring(spaceId);
    });
    client.on('error', (error) => {
      if (!closed) onError(error);
    });
    client.on('end', () => {
      if (listening !== client) return;
      listening = undefined;
      if (!closed) void reconnect();
    });
    try {
      await client.connect();
      await client.query(`listen ${SPACE_CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    listening = client;
  };

  const reconnect = async (): Promise<void> => {
    while (!closed && listening === undefined) {
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      await connect().then(ringAll, onError); // whatever was announced while we were deaf is read now
    }
  };

  await connect();
  return {
    subscribe(spaceId, hint) {
      const set = hints.get(spaceId) ?? new Set();
      hints.set(spaceId, set.add(hint));
      return () => {
        set.delete(hint);
        if (set.size === 0 && hints.get(spaceId) === set) hints.delete(spaceId);
      };
    },
    async close() {
      closed = true;
      await listening?.end();
    },
  };
}
