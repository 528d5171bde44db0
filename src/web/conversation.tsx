import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Bubble, DraftBubble } from './bubble.tsx';
import type { SpaceView } from './space-view.ts';
import { sameDay, writeDay } from './write-time.ts';

// Someone who scrolled this little away from the end still wants to follow it.
const NEAR_END_PX = 120;

type Props = {
  view: SpaceView;
  loaded: boolean;
  nameOf: (entityId: string) => string;
  onEarlier: () => Promise<void>;
};

export function Conversation({ view, loaded, nameOf, onEarlier }: Props) {
  const { messages, drafts, atStart } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const before = useRef({ height: 0, oldest: messages[0]?.id });
  const [unread, setUnread] = useState(false);
  const [loading, setLoading] = useState(false);
  const oldest = messages[0];
  const newest = messages.at(-1);
  const hasEarlier = loaded && oldest !== undefined && oldest.seq > 1 && !atStart;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    // Earlier messages came in above: what was being read stays where it was.
    else if (before.current.oldest !== oldest?.id) element.scrollTop += element.scrollHeight - before.current.height;
    before.current = { height: element.scrollHeight, oldest: oldest?.id };
  }, [messages, drafts, oldest?.id]);

  // A notice or a growing composer takes room from below; the last message must not slip behind it.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    if (!atEnd.current) setUnread(true);
  }, [newest?.id]);

  const follow = (): void => {
    const element = scroller.current;
    if (!element) return;
    atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    if (atEnd.current) setUnread(false);
  };
  const earlier = async (): Promise<void> => {
    atEnd.current = false;
    setLoading(true);
    await onEarlier();
    setLoading(false);
  };

  return (
    <div className="conversation">
      <div
        className="scroller"
        ref={scroller}
        onScroll={follow}
        role="log"
        aria-live="off"
        aria-label="Messages"
        tabIndex={0}
      >
        <div className="messages">
          {hasEarlier && (
            <button type="button" className="quiet earlier" disabled={loading} onClick={() => void earlier()}>
              {loading ? 'Loading…' : 'Earlier messages'}
            </button>
          )}
          {loaded && messages.length === 0 && drafts.length === 0 && (
            <p className="soft quiet-room">Nothing has been said here yet.</p>
          )}
          {messages.map((message, index) => {
            const previous = messages[index - 1];
            const newDay = !previous || !sameDay(previous.createdAt, message.createdAt);
            return (
              <div key={message.id} className="entry">
                {newDay && <p className="day">{writeDay(message.createdAt)}</p>}
                <Bubble message={message} continued={!newDay && previous?.senderId === message.senderId} />
              </div>
            );
          })}
          {drafts.map((draft) => (
            <DraftBubble key={draft.draftId} draft={draft} name={nameOf(draft.senderId)} />
          ))}
        </div>
      </div>
      {unread && (
        <button
          type="button"
          className="to-end"
          onClick={() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight })}
        >
          New messages ↓
        </button>
      )}
      {/* Whole messages only: a screen reader that reads a growing draft never comes to an end. */}
      <p className="unseen" aria-live="polite">
        {loaded && newest ? `${newest.senderName}: ${newest.text}` : ''}
      </p>
    </div>
  );
}
