import type { EntityKind } from './wire.ts';

const TINTS = 6;
// What a reader takes for one letter may be several characters, as in most emoji.
const LETTERS = new Intl.Segmenter();

/** First letter on a colour that stays the same for the same entity: round for people, square for agents. */
export function Avatar({ id, name, kind }: { id: string; name: string; kind: EntityKind }) {
  const [first] = LETTERS.segment(name.trim());
  return (
    <span className={`avatar ${kind} tint-${tintOf(id)}`} aria-hidden="true">
      {first?.segment.toUpperCase() ?? '?'}
    </span>
  );
}

function tintOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % TINTS;
}
