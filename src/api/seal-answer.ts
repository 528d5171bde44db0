import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * An answer that shows a key once must come again for a repeated request, yet a copy of the database must hold no
 * usable key. So it is kept encrypted under the caller's own key, of which the database has only a hash.
 */
export function sealAnswer(json: string, callerKey: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(callerKey, context), nonce);
  const sealed = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Undefined when another key sealed it. */
export function openAnswer(sealed: string, callerKey: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(callerKey, context), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function sealingKey(callerKey: string, context: string): Buffer {
  return Buffer.from(hkdfSync('sha256', callerKey, context, 'wakeful answer', 32));
}
