import { shorten } from './fit-parts.ts';

const LONGEST = 300;

/** The passage to show: the one that shares most with the query, or the one that the vectors chose when none shares more. */
export function snippet(passages: string[], query: string, chosen = 0): string {
  const wanted = new Set(beginnings(query));
  const shared = passages.map((passage) => new Set(beginnings(passage).filter((word) => wanted.has(word))).size);
  const most = Math.max(0, ...shared);
  const best = (shared[chosen] ?? 0) >= most ? chosen : shared.indexOf(most);
  return shorten((passages[best] ?? '').replaceAll(/\s+/g, ' '), LONGEST);
}

/** Words down to their first letters: “flights” and “flight” count as one. Short words say too little. */
function beginnings(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.slice(0, 5));
}
