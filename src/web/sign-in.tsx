import { useState } from 'react';
import { Brand } from './brand.tsx';

export function SignIn({ refused, onKey }: { refused: boolean; onKey: (key: string) => void }) {
  const [key, setKey] = useState('');

  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim()) onKey(key.trim());
        }}
      >
        <h1>
          <Brand />
        </h1>
        <p className="soft">
          Paste an API key. <code>npm start</code> prints one, and keeps it in <code>.wakeful/api-key</code>.
        </p>
        <label htmlFor="api-key">API key</label>
        <input
          id="api-key"
          type="password"
          autoComplete="off"
          autoFocus
          required
          value={key}
          aria-describedby={refused ? 'key-refused' : undefined}
          onChange={(event) => setKey(event.target.value)}
        />
        {refused && (
          <p className="fault" id="key-refused" role="alert">
            The server does not accept this key. It may have been revoked.
          </p>
        )}
        <button type="submit" className="primary">
          Open the console
        </button>
        <p className="soft small">The key stays in this tab and is forgotten when you close it.</p>
      </form>
    </main>
  );
}
