/** 128 random bits. `crypto.randomUUID` would do, but browsers have it only over https and on localhost. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
