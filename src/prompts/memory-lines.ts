import type { FirstMemories } from '../memory/first-memories.ts';
import type { Memory } from '../memory/memory.ts';
import { fitLines } from './fit-lines.ts';
import { plain } from './plain.ts';
import { quote } from './quote.ts';

/** What memories may take of the instructions. What is beyond it comes by relevance, or when the agent asks. */
export const MEMORY_CHARACTERS = 12_000;

type Told = Pick<Memory, 'key' | 'value' | 'scope'>;

/** With its key, which the agent needs to change or delete it. */
export function memoryLine({ key, value, scope }: Told): string {
  return `- ${plain(key)} = ${quote(value)}${scope === 'organisation' ? ' (organisation)' : ''}`;
}

export function fittingMemories({ first }: FirstMemories): Memory[] {
  return fitLines(first, memoryLine, MEMORY_CHARACTERS);
}

export function memoryLines(memories: FirstMemories): string[] {
  const shown = fittingMemories(memories);
  const left = memories.total - shown.length;
  return [
    ...shown.map(memoryLine),
    ...(left > 0 ? [`(${left} more, less important, not shown here: get_memories and recall find them.)`] : []),
  ];
}
