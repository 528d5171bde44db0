import { useEffect, useState } from 'react';
import { describeFault } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import type { Page, SpaceSummary } from './wire.ts';

// Enough for any list a person would scroll through; a runaway cursor must not loop forever.
const MOST_PAGES = 20;
const RETRY_MS = 3_000;

type Spaces = { spaces: SpaceSummary[] | undefined; fault: string | undefined };

/** All spaces the key may see, read again whenever the person comes back to this tab. */
export function useSpaces(api: ApiClient): Spaces {
  const [spaces, setSpaces] = useState<SpaceSummary[]>();
  const [fault, setFault] = useState<string>();

  useEffect(() => {
    const leaving = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      clearTimeout(retry);
      try {
        setSpaces(await readSpaces(api, leaving.signal));
        setFault(undefined);
      } catch (problem) {
        if (leaving.signal.aborted) return;
        setFault(describeFault(problem));
        retry = setTimeout(() => void load(), RETRY_MS);
      }
    };
    const reload = (): void => void load();
    reload();
    window.addEventListener('focus', reload);
    return () => {
      leaving.abort();
      clearTimeout(retry);
      window.removeEventListener('focus', reload);
    };
  }, [api]);

  return { spaces, fault };
}

async function readSpaces(api: ApiClient, signal: AbortSignal): Promise<SpaceSummary[]> {
  const spaces: SpaceSummary[] = [];
  let query = '';
  for (let read = 0; read < MOST_PAGES; read += 1) {
    const page = await api.get<Page<SpaceSummary>>(`/v1/spaces${query}`, signal);
    spaces.push(...page.items);
    if (page.next === null || page.next === undefined) break;
    query = `?cursor=${encodeURIComponent(page.next)}`;
  }
  return spaces;
}
