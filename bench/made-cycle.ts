import type { ModelMessage } from 'ai';

import type { FinishedStep } from '../src/cycle/end-run.ts';
import type { Generation } from '../src/cycle/generation.ts';

/** What an ordinary cycle of about 2,000 tokens says and does, the same for the same number. */
export type MadeCycle = {
  question: string;
  calls: { name: string; callId: string; input: Record<string, string | number>; output: object }[];
  generations: Generation[];
  steps: FinishedStep[];
};

const SUBJECTS = ['build', 'invoice', 'deployment', 'meeting', 'contract', 'backup', 'release', 'budget'];
const DETAILS = ['slow', 'late', 'missing', 'twice as large', 'not signed', 'green again', 'moved to Friday'];

/** It was asked, read what had been said, answered, and closed. */
export function makeCycle(number: number): MadeCycle {
  const subject = SUBJECTS[number % SUBJECTS.length]!;
  const matter = `the ${subject} of team ${number % 13} is ${DETAILS[number % DETAILS.length]!}`;
  const earlier = Array.from({ length: 20 }, (_, index) => ({
    seq: index,
    sender: 'Ana',
    text: `${matter} (${index}). ${'Who looks at it? '.repeat(10)}`,
  }));
  const answer = `About question ${number}: ${matter}. ${'I would first compare it with the week before and then ask its owner. '.repeat(8)}`;
  const closing = `Answered Ana about the ${subject} of team ${number % 13} (question ${number}); nothing is open.`;
  const calls: MadeCycle['calls'] = [
    { name: 'read_messages', callId: `read-${number}`, input: { limit: 20 }, output: { messages: earlier } },
    {
      name: 'send_message',
      callId: `send-${number}`,
      input: { text: answer },
      output: { success: true, status: 'delivered' },
    },
  ];
  const last: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: closing }] };
  return {
    question: `Ada, question ${number}: ${matter}. ${'Can you tell what we should do next? '.repeat(6)}`,
    calls,
    steps: [...calls.map((call) => ({ injected: [], messages: messagesOf(call) })), { injected: [], messages: [last] }],
    generations: [
      ...calls.map(({ name, callId, input }) =>
        generation(
          { type: 'tool-call', toolCallId: callId, toolName: name, input: JSON.stringify(input) },
          'tool-calls',
        ),
      ),
      generation({ type: 'text', text: closing }, 'stop'),
    ],
  };
}

function messagesOf({ name, callId, input, output }: MadeCycle['calls'][number]): ModelMessage[] {
  const call = { toolCallId: callId, toolName: name };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value: output as never } }] },
  ];
}

function generation(said: Generation['content'][number], unified: 'stop' | 'tool-calls'): Generation {
  const usage = {
    inputTokens: { total: 60_000, noCache: 1_000, cacheRead: 59_000, cacheWrite: 0 },
    outputTokens: { total: 200, text: 200, reasoning: 0 },
  };
  return { content: [said], finishReason: { unified, raw: unified }, usage };
}
