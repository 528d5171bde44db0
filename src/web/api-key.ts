const STORED = 'wakeful.key';

/** The key from `#key=…` or from earlier in this tab. It leaves the address bar at once, so that no one copies it by accident. */
export function takeApiKey(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get('key')?.trim();
  if (given) {
    sessionStorage.setItem(STORED, given);
    fragment.delete('key');
    const rest = fragment.size > 0 ? `#${fragment.toString()}` : '';
    history.replaceState(null, '', location.pathname + location.search + rest);
  }
  return given || (sessionStorage.getItem(STORED) ?? undefined);
}

export function keepApiKey(key: string): void {
  sessionStorage.setItem(STORED, key);
}

export function forgetApiKey(): void {
  sessionStorage.removeItem(STORED);
}
