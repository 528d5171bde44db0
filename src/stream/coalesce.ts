// Readers see smooth text at this grain, and a 2,000-character reply is about 40 rows instead of 500.
const SHORTEST = 36;
const LONGEST = 72;

/** Gathers small deltas into pieces of 36–72 characters, cut behind a space where there is one. */
export function createCoalescer(): { push(text: string): string[]; rest(): string } {
  let buffer = '';
  return {
    push(text) {
      buffer += text;
      const pieces: string[] = [];
      while (buffer.length >= SHORTEST) {
        if (buffer.length < LONGEST && !/\s/.test(buffer.slice(SHORTEST - 1))) break; // a word is still coming
        const end = cutAt(buffer);
        pieces.push(buffer.slice(0, end));
        buffer = buffer.slice(end);
      }
      return pieces;
    },
    rest() {
      const piece = buffer;
      buffer = '';
      return piece;
    },
  };
}

function cutAt(buffer: string): number {
  const window = buffer.slice(0, LONGEST);
  const space = window.search(/\s\S*$/);
  let end = space >= SHORTEST - 1 ? space + 1 : window.length;
  if (/[\uD800-\uDBFF]$/.test(buffer.slice(0, end))) end -= 1; // never between the halves of one character
  return end;
}
