import { createHash } from 'node:crypto';

/** What is kept of a key. 256 random bits cannot be guessed back from it. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
