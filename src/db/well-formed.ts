/** Text that jsonb and text columns accept: no U+0000 (22P05, 22021), no lone surrogate (22P02, or silently altered). */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** The same for every string and every key inside a JSON value. Models and tools return anything; it must be storable. */
export function wellFormedJson<Value>(value: Value): Value {
  const json = JSON.stringify(value, function (this: Record<string, unknown>, name, inner: unknown) {
    // `this[name]`, not `inner`: a Buffer has made itself a list of numbers by now.
    const original = this[name];
    if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
    return typeof inner === 'string' ? wellFormed(inner) : withWellFormedKeys(inner);
  });
  return (json === undefined ? null : JSON.parse(json)) as Value;
}

function withWellFormedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (Object.keys(value).every(isWellFormed)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [wellFormed(name), inner]));
}

export function isWellFormed(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
