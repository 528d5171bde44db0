/** Cuts a text into pieces of the given lengths, as a provider might cut its stream; some pieces are empty. */
export function split(text: string, lengths: Iterable<number>): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const length of lengths) {
    if (from >= text.length) break;
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return pieces;
}
