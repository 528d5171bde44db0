/** The parts within so many characters together: the longest are shortened first, the short ones stay whole. */
export function fitParts(parts: string[], most: number): string[] {
  const room = most - parts.length; // one for each line break
  const cut = longestThatFits(
    parts.map((part) => part.length),
    room,
  );
  const fitted = parts.map((part) => shorten(part, cut));
  // So many parts that not even a few characters of each find room: the latest are kept.
  while (fitted.reduce((sum, part) => sum + part.length + 1, 0) > most) fitted.shift();
  return fitted;
}

/** At most so many characters, with a mark when something is missing; never half a character. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, Math.max(1, most - 1)).replace(/[\uD800-\uDBFF]$/, '');
  return `${whole}…`;
}

function longestThatFits(lengths: number[], room: number): number {
  const ascending = lengths.toSorted((a, b) => a - b);
  let left = room;
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return Math.max(share, 2);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
