import { isWellFormed } from '../db/well-formed.ts';
import type { FieldFault } from '../errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How deep a JSON text nests, counted before it is parsed: a depth bomb must cost no more than its bytes. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, (depth += 1));
    else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return deepest;
}

/** Every string and field name that Postgres would refuse or alter, and names that would reach a prototype. */
export function unstorableStrings(value: unknown, path: string[] = []): FieldFault[] {
  if (typeof value === 'string')
    return isWellFormed(value) ? [] : [fault(path, 'holds U+0000 or half a surrogate pair')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!isWellFormed(name)) return [fault(path, 'has a field whose name holds U+0000 or half a surrogate pair')];
    if (name === '__proto__') return [fault([...path, name], 'is not a known field')];
    return unstorableStrings(inner, [...path, name]);
  });
}

function fault(path: string[], message: string): FieldFault {
  return { path: path.join('.').slice(0, 100).toWellFormed(), message };
}
