/** The vector with length one, so that products of two are cosines; undefined when it points nowhere. */
export function unitVector(vector: number[]): number[] | undefined {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) return undefined;
  return vector.map((number) => number / length);
}

/** As sign_bits in Postgres. */
export function signBits(vector: number[]): string {
  return vector.map((number) => (number < 0 ? '0' : '1')).join('');
}
