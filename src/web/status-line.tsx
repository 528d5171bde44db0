import type { AgentNotice } from './space-view.ts';
import type { LiveSpace } from './use-space.ts';

type Props = { live: LiveSpace; nameOf: (entityId: string) => string };

/** What is going on between two messages: who thinks, what went wrong, whether the line is up. */
export function StatusLine({ live, nameOf }: Props) {
  const { view, connection, fault } = live;
  const writing = new Set(view.drafts.map((draft) => draft.senderId));
  const agents = Object.entries(view.agents);
  const thinking = agents.filter(([id, { status }]) => status === 'thinking' && !writing.has(id));
  const waiting = agents.filter(([, { status }]) => status === 'waiting');

  return (
    <div className="status-line">
      <div role="status">
        {thinking.length > 0 && (
          <p className="thinking">
            {list(thinking.map(([id]) => nameOf(id)))} {thinking.length === 1 ? 'is' : 'are'} thinking…
          </p>
        )}
        {waiting.map(([id]) => (
          <p key={id} className="soft">
            {nameOf(id)} is waiting for an answer to a tool call.
          </p>
        ))}
        {connection === 'lost' && <p className="soft">The connection is gone. Trying again…</p>}
        {fault && <p className="fault">{fault}</p>}
      </div>
      {agents.map(
        ([id, { notice }]) =>
          notice && (
            <div key={id} className={`notice ${notice.kind}`} role="alert">
              <p>{describeNotice(nameOf(id), notice)}</p>
              <button type="button" className="quiet" aria-label="Dismiss" onClick={() => live.dismissNotice(id)}>
                ×
              </button>
            </div>
          ),
      )}
    </div>
  );
}

function describeNotice(name: string, { kind, detail }: AgentNotice): string {
  const sentence = kind === 'retrying' ? `${name} ran into a problem and tries again` : `${name} could not finish`;
  return detail ? `${sentence}: ${detail}` : `${sentence}.`;
}

function list(names: string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
}
