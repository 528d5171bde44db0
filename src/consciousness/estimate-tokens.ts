import type { ModelMessage } from 'ai';

// Characters of JSON per token, over English prose and tool traffic alike; other scripts take about a token a character.
const CHARACTERS_PER_TOKEN = 3.5;
const OTHER_SCRIPT = 0.9;
// Models see pictures at a bounded resolution, however many bytes they have.
const IMAGE_TOKENS = 1_500;

/** A raw estimate, the same for every model; an agent's calibration turns it into the provider's count. */
export function estimateTokens(message: ModelMessage): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const tokens = count(message);
  estimates.set(message, tokens);
  return tokens;
}

/** A message that comes out of Postgres was counted when it went in; a full window takes 3 ms to count again. */
export function countedAs(message: ModelMessage, tokens: number): ModelMessage {
  estimates.set(message, tokens);
  return message;
}

// Each step of a cycle asks again for the same messages; they are never changed in place.
const estimates = new WeakMap<ModelMessage, number>();

function count(message: ModelMessage): number {
  let images = 0;
  const text = JSON.stringify(message, (_key, value: unknown) => {
    if (!isImage(value)) return value;
    images += 1;
    return null;
  });
  return images * IMAGE_TOKENS + estimateText(text);
}

export function estimateText(text: string): number {
  // oxlint-disable-next-line no-control-regex
  const other = text.length - text.replaceAll(/[^\u0000-\u007F]/g, '').length;
  return Math.ceil((text.length - other) / CHARACTERS_PER_TOKEN + other * OTHER_SCRIPT);
}

function isImage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const { type } = value;
  if (type === 'image' || type === 'image-data') return true;
  return type === 'file' && 'mediaType' in value && String(value.mediaType).startsWith('image/');
}
