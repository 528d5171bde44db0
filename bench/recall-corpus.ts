import type { ModelMessage } from 'ai';

import { inboxMessage } from '../src/prompts/inbox-message.ts';
import { CHATTER, CLOSINGS, REPLIES, SLOTS } from './recall-chatter.ts';
import { FACTS } from './recall-facts.ts';

export type Question = { kind: 'shares words' | 'names and numbers' | 'paraphrased'; text: string; cycle: number };
export type Corpus = { cycles: ModelMessage[][]; questions: Question[] };

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);

/** The same corpus for the same seed: facts said once each, strewn over years of ordinary talk. */
export function makeCorpus(size: number, seed: number): Corpus {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const fill = (template: string): string => template.replaceAll(/\{(\w+)\}/g, (_, slot: string) => fillSlot(slot));
  const fillSlot = (slot: string): string => {
    if (slot === 'number') return String(2 + Math.floor(random() * 400));
    if (slot === 'code') return `${pick(['A', 'C', 'K', 'R', 'T'])}-${10 + Math.floor(random() * 25_000)}`;
    return pick(SLOTS[slot]!);
  };
  const positions = new Set<number>();
  while (positions.size < FACTS.length) positions.add(Math.floor(random() * size));
  const factAt = new Map([...positions].map((position, index) => [position, FACTS[index]!]));

  const questions: Question[] = [];
  const cycles = Array.from({ length: size }, (_, position) => {
    const fact = factAt.get(position);
    const said = Array.from({ length: 1 + Math.floor(random() * 3) }, () => fill(pick(CHATTER)));
    if (fact !== undefined) {
      said.splice(Math.floor(random() * (said.length + 1)), 0, fact.said);
      const cycle = position + 1;
      questions.push(
        { kind: fact.exact === true ? 'names and numbers' : 'shares words', text: fact.direct, cycle },
        { kind: 'paraphrased', text: fact.paraphrased, cycle },
      );
    }
    const space = pick(SLOTS['space']!);
    return cycleOf({
      space,
      at: new Date(FIRST_DAY + position * (DAY_MS / 2)),
      lines: said.map((text) => ({ sender: pick(SLOTS['person']!), text })),
      reply: fact?.answered ?? fill(pick(REPLIES)),
      closing: fact?.closing ?? fill(pick(CLOSINGS).replaceAll('{space}', space)),
    });
  });
  return { cycles, questions };
}

type Said = { space: string; at: Date; lines: { sender: string; text: string }[]; reply: string; closing: string };

/** As the think cycle stores it. */
function cycleOf({ space, at, lines, reply, closing }: Said): ModelMessage[] {
  const id = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  const events = lines.map(({ sender, text }, index) => ({
    id: id(index),
    position: index,
    type: 'message' as const,
    status: 'done' as const,
    urgent: false,
    createdAt: at,
    failures: 0,
    space: { id: id(99), name: space },
    message: { id: id(index), seq: index + 1, text },
    sender: { id: id(50), name: sender, kind: 'human' as const },
  }));
  const call = { toolCallId: 'call-1', toolName: 'send_message' };
  return [
    inboxMessage(events, at),
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { text: reply } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value: { success: true } } }] },
    { role: 'assistant', content: [{ type: 'text', text: closing }] },
  ];
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
