import type { ModelMessage } from 'ai';

import type { RecalledCycle } from '../recall/recall-for-inbox.ts';

const CHARACTERS = 6_000;
const HEADING =
  '[EARLIER CYCLES THAT MAY MATTER NOW] You lived through these; they are shown again because of the inbox below.';

/** Recalled cycles, each with its date; shown for one cycle and never stored. */
export function recalledCycles(cycles: RecalledCycle[]): ModelMessage | undefined {
  if (cycles.length === 0) return undefined;
  const parts = cycles.map(({ cycle, date, text }) => {
    const shown =
      text.length <= CHARACTERS
        ? text
        : `${text.slice(0, CHARACTERS).toWellFormed()}… (recall with cycle ${cycle} reads all of it)`;
    return `--- cycle ${cycle}, ${date}\n${shown}`;
  });
  return { role: 'user', content: [HEADING, ...parts].join('\n') };
}
