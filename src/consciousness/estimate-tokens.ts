import type { ModelMessage } from 'ai';

// Characters of JSON per token, over English prose and tool traffic alike.
const CHARACTERS_PER_TOKEN = 3.5;

export function estimateTokens(message: ModelMessage): number {
  return Math.ceil(JSON.stringify(message).length / CHARACTERS_PER_TOKEN);
}
