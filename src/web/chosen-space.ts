const NAME = 'space';

/** The space named in the address, so that a reload or a bookmark comes back to it. */
export function readChosenSpace(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get(NAME) ?? undefined;
}

export function keepChosenSpace(spaceId: string): void {
  history.replaceState(null, '', `${location.pathname}${location.search}#${NAME}=${encodeURIComponent(spaceId)}`);
}
