import type { ModelMessage } from 'ai';

import { estimateText, estimateTokens } from '../consciousness/estimate-tokens.ts';
import { shorten } from '../consciousness/shorten.ts';

/** In raw estimated tokens; `reported` is the provider's own count of the same request. */
export type ContextFigures = {
  system: number;
  tools: number;
  messages: number;
  window: number;
  share: number;
  reported?: number;
};

// Beyond this share of the model's window a call risks being refused; the rest is room for the answer.
const FULL = 0.85;
export const WARNING = 0.7;

// What is left of an old tool output when room is needed: enough to know what it was.
const SHORTENED = 400;
const PLACEHOLDER =
  '[some earlier cycles are left out here to fit the context window; they are not forgotten, only not shown]';

export function contextFigures(input: {
  system: string;
  tools: string;
  messages: ModelMessage[];
  window: number;
}): ContextFigures {
  const system = estimateText(input.system);
  const tools = estimateText(input.tools);
  const messages = total(input.messages);
  return { system, tools, messages, window: input.window, share: (system + tools + messages) / input.window };
}

/**
 * Makes the messages of one call fit. First the oldest tool outputs are shortened, then middle cycles give way to one
 * placeholder; the first cycle and the newest stay as long as they can. Stored consciousness is not touched.
 * `cycleFrom`: where the running cycle begins. It is never dropped, not even what was told it before a later step.
 */
export function fitContext(
  messages: ModelMessage[],
  room: { fixed: number; window: number; cycleFrom: number },
): ModelMessage[] {
  const limit = Math.floor(room.window * FULL) - room.fixed;
  if (total(messages) <= limit) return messages;
  const shortened = shortenOutputs(messages, limit);
  return total(shortened) <= limit ? shortened : dropMiddle(shortened, limit, room.cycleFrom);
}

function total(messages: ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

function shortenOutputs(messages: ModelMessage[], limit: number): ModelMessage[] {
  const result = [...messages];
  let size = total(result);
  for (const [index, message] of messages.entries()) {
    if (size <= limit) break;
    if (message.role !== 'tool') continue;
    const smaller = shorten(message, { outputs: SHORTENED, texts: Number.POSITIVE_INFINITY });
    size -= estimateTokens(message) - estimateTokens(smaller);
    result[index] = smaller;
  }
  return result;
}

/** Whole groups only: a group starts at a user message, so a call never loses its result. */
function dropMiddle(messages: ModelMessage[], limit: number, cycleFrom: number): ModelMessage[] {
  const groups: ModelMessage[][] = [];
  for (const message of messages.slice(0, cycleFrom)) {
    if (message.role === 'user' || groups.length === 0) groups.push([]);
    groups.at(-1)!.push(message);
  }
  const placeholder: ModelMessage = { role: 'user', content: PLACEHOLDER };
  const [first = [], ...middle] = groups;
  // Without the running cycle the call makes no sense, so it stays whatever its size.
  const running = messages.slice(cycleFrom);
  if (groups.length === 0) return running;
  let room = limit - total(running) - estimateTokens(placeholder);
  const keptFirst = total(first) <= room ? first : [];
  room -= total(keptFirst);
  const kept: ModelMessage[][] = [];
  for (const group of middle.toReversed()) {
    const size = total(group);
    if (size > room) break;
    room -= size;
    kept.unshift(group);
  }
  return [...keptFirst, placeholder, ...kept.flat(), ...running];
}
