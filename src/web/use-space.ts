import { useCallback, useEffect, useReducer, useState } from 'react';
import { describeFault } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { followSpace } from './follow-space.ts';
import type { Connection } from './follow-space.ts';
import { changeSpaceView, EMPTY_VIEW } from './space-view.ts';
import type { SpaceView } from './space-view.ts';
import type { Message, Page, Space, SpaceEvent } from './wire.ts';

const PAGE_SIZE = 50;
// "Before" more messages than a space will ever hold gives the newest page.
const NEWEST = 2_147_483_647;
const MEMBERSHIP = new Set<SpaceEvent['type']>(['space.updated', 'member.added', 'member.removed']);

export type LiveSpace = {
  space: Space | undefined;
  view: SpaceView;
  connection: Connection;
  loaded: boolean;
  fault: string | undefined;
  loadEarlier: () => Promise<void>;
  add: (message: Message) => void;
  dismissNotice: (agentId: string) => void;
};

/** One space, kept up to date as long as the component that asks is on the page. Give it a `key` of the space's id. */
export function useSpace(api: ApiClient, spaceId: string): LiveSpace {
  const [view, change] = useReducer(changeSpaceView, EMPTY_VIEW);
  const [space, setSpace] = useState<Space>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [loaded, setLoaded] = useState(false);
  const [fault, setFault] = useState<string>();
  const path = `/v1/spaces/${encodeURIComponent(spaceId)}`;

  const loadBefore = useCallback(
    async (before: number, signal?: AbortSignal) => {
      const page = await api.get<Page<Message>>(`${path}/messages?before=${before}&limit=${PAGE_SIZE}`, signal);
      change({ kind: 'history', messages: page.items, atStart: page.items.length < PAGE_SIZE });
    },
    [api, path],
  );

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const report = (problem: unknown): void => {
      if (!signal.aborted) setFault(describeFault(problem));
    };
    const loadSpace = async (): Promise<void> => {
      try {
        setSpace(await api.get<Space>(path, signal));
      } catch (problem) {
        report(problem);
      }
    };
    // Only once the stream is open: a message sent between a page read earlier and the opening would be missed.
    const loadNewest = async (): Promise<void> => {
      try {
        await loadBefore(NEWEST, signal);
        setFault(undefined);
        setLoaded(true);
      } catch (problem) {
        report(problem);
      }
    };

    followSpace({
      api,
      spaceId,
      signal,
      onConnection(next) {
        setConnection(next);
        if (next !== 'live') return;
        void loadSpace();
        void loadNewest();
      },
      onEvents(events) {
        change({ kind: 'events', events });
        if (events.some((event) => MEMBERSHIP.has(event.type))) void loadSpace();
      },
    }).catch(report);
    return () => leaving.abort();
  }, [api, path, spaceId, loadBefore]);

  const oldest = view.messages[0]?.seq;
  return {
    space,
    view,
    connection,
    loaded,
    fault,
    async loadEarlier() {
      try {
        if (oldest !== undefined) await loadBefore(oldest);
      } catch (problem) {
        setFault(describeFault(problem));
      }
    },
    add: (message) => change({ kind: 'history', messages: [message], atStart: false }),
    dismissNotice: (agentId) => change({ kind: 'notice-dismissed', agentId }),
  };
}
