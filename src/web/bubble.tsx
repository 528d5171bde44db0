import { memo } from 'react';
import { Avatar } from './avatar.tsx';
import type { Draft } from './space-view.ts';
import type { Message } from './wire.ts';
import { writeClock, writeMoment } from './write-time.ts';

/** One message. Its text is a text node and nothing else: what people and models write is never read as HTML. */
export const Bubble = memo(function Bubble({ message, continued }: { message: Message; continued: boolean }) {
  const { senderId, senderName, senderKind, text, createdAt } = message;
  return (
    <article className={`bubble ${senderKind}${continued ? ' continued' : ''}`}>
      {!continued && <Avatar id={senderId} name={senderName} kind={senderKind} />}
      <div className="bubble-body">
        {!continued && (
          <header>
            <strong>{senderName}</strong>
            {senderKind === 'agent' && <span className="tag">agent</span>}
            <time dateTime={createdAt} title={writeMoment(createdAt)}>
              {writeClock(createdAt)}
            </time>
          </header>
        )}
        <p className="text" dir="auto">
          {text}
        </p>
      </div>
    </article>
  );
});

export function DraftBubble({ draft, name }: { draft: Draft; name: string }) {
  return (
    <article className="bubble agent draft" aria-busy="true">
      <Avatar id={draft.senderId} name={name} kind="agent" />
      <div className="bubble-body">
        <header>
          <strong>{name}</strong>
          <span className="tag">agent</span>
          <span className="soft">writing…</span>
        </header>
        <p className="text" dir="auto">
          {draft.text}
          <span className="caret" aria-hidden="true" />
        </p>
      </div>
    </article>
  );
}
