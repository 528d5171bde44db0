import { useState } from 'react';
import type { ApiClient } from './api-client.ts';
import { Brand } from './brand.tsx';
import { keepChosenSpace, readChosenSpace } from './chosen-space.ts';
import { Room } from './room.tsx';
import { SpaceList } from './space-list.tsx';
import { useSpaces } from './use-spaces.ts';

export function Console({ api, onSignOut }: { api: ApiClient; onSignOut: () => void }) {
  const { spaces, fault } = useSpaces(api);
  const [chosenId, setChosenId] = useState(readChosenSpace);
  // Half-written messages, by space: looking into another space must not lose one.
  const [unsent, setUnsent] = useState<Record<string, string>>({});

  const chosen = spaces?.find((space) => space.id === chosenId) ?? spaces?.[0];
  const choose = (spaceId: string): void => {
    keepChosenSpace(spaceId);
    setChosenId(spaceId);
  };

  return (
    <div className="console">
      <header className="side">
        <Brand />
        {spaces && spaces.length > 0 && <SpaceList spaces={spaces} chosenId={chosen?.id} onChoose={choose} />}
        <footer className="side-end">
          <a href="/docs">API</a>
          <button type="button" className="quiet" onClick={onSignOut}>
            Sign out
          </button>
        </footer>
      </header>
      {chosen ? (
        <Room
          key={chosen.id}
          api={api}
          summary={chosen}
          text={unsent[chosen.id] ?? ''}
          onText={(text) => setUnsent((before) => ({ ...before, [chosen.id]: text }))}
        />
      ) : (
        <main className="empty">
          {fault && <p className="fault">{fault}</p>}
          {!fault && !spaces && <p className="soft">Opening…</p>}
          {!fault && spaces && (
            <div className="soft">
              <h1>No spaces yet</h1>
              <p>
                Make one with <code>POST /v1/spaces</code>; <a href="/docs">the API page</a> shows how.
              </p>
            </div>
          )}
        </main>
      )}
    </div>
  );
}
