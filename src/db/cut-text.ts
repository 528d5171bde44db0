/** A piece of a text, one character shorter than asked when it would end between the halves of one. */
export function cutText(text: string, from: number, length: number): string {
  const piece = text.slice(from, from + length);
  return from + length < text.length && /[\uD800-\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece;
}
