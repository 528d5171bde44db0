import { useMemo, useState } from 'react';
import { createApiClient } from './api-client.ts';
import { forgetApiKey, keepApiKey, takeApiKey } from './api-key.ts';
import { Console } from './console.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const [key, setKey] = useState(takeApiKey);
  const [refused, setRefused] = useState(false);

  const api = useMemo(() => {
    if (!key) return undefined;
    return createApiClient(key, () => {
      forgetApiKey();
      setRefused(true);
      setKey(undefined);
    });
  }, [key]);

  if (!api) {
    const signIn = (given: string): void => {
      keepApiKey(given);
      setRefused(false);
      setKey(given);
    };
    return <SignIn refused={refused} onKey={signIn} />;
  }

  const signOut = (): void => {
    forgetApiKey();
    setKey(undefined);
  };
  return <Console api={api} onSignOut={signOut} />;
}
