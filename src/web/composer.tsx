import { useRef, useState } from 'react';
import { describeFault } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import type { Member, Message } from './wire.ts';

type Props = {
  api: ApiClient;
  spaceId: string;
  /** Undefined until the space is loaded. */
  members: Member[] | undefined;
  text: string;
  onText: (text: string) => void;
  onSent: (message: Message) => void;
};

const NOBODY = 'No human is a member of this space, so nobody can write here.';

export function Composer({ api, spaceId, members, text, onText, onSent }: Props) {
  const humans = members?.filter((member) => member.kind === 'human') ?? [];
  const [chosenId, setChosenId] = useState<string>();
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<string>();
  // The same words sent again after a failure carry the same key: the first try may have arrived after all.
  const lastTry = useRef<{ senderId: string; text: string; key: string }>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const sender = humans.find((human) => human.id === chosenId) ?? humans[0];

  const send = async (): Promise<void> => {
    if (!sender || sending || text.trim() === '') return;
    const again = lastTry.current?.senderId === sender.id && lastTry.current.text === text;
    const key = again && lastTry.current ? lastTry.current.key : newIdempotencyKey();
    lastTry.current = { senderId: sender.id, text, key };
    setSending(true);
    setFault(undefined);
    try {
      const path = `/v1/spaces/${encodeURIComponent(spaceId)}/messages`;
      onSent(await api.post<Message>(path, { senderId: sender.id, text }, key));
      lastTry.current = undefined;
      onText('');
    } catch (problem) {
      setFault(describeFault(problem));
    } finally {
      setSending(false);
      field.current?.focus();
    }
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {fault && (
        <p className="fault" role="alert">
          Not sent: {fault}
        </p>
      )}
      <div className="composer-box">
        <textarea
          ref={field}
          aria-label="Message"
          placeholder={sender ? `Write as ${sender.name}…` : members && NOBODY}
          rows={1}
          value={text}
          readOnly={sending}
          disabled={!sender}
          enterKeyHint="send"
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            // While an input method is composing, Enter picks a word and must not send.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <div className="composer-foot">
          {sender && (
            <label>
              Speak as{' '}
              <select value={sender.id} onChange={(event) => setChosenId(event.target.value)}>
                {humans.map((human) => (
                  <option key={human.id} value={human.id}>
                    {human.name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <span className="soft hint">Enter sends, Shift+Enter breaks the line</span>
          <button type="submit" className="primary" disabled={!sender || sending || text.trim() === ''}>
            {sending ? 'Sending…' : 'Send'}
          </button>
        </div>
      </div>
    </form>
  );
}
