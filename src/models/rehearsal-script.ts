import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

/** What the rehearsal says next: the calls of one step, or its closing words. */
export type Line =
  | { kind: 'call'; name: 'enter_space' | 'send_message' | 'set_plans' | 'skip'; input: Record<string, unknown> }
  | { kind: 'text'; text: string };

type Heard = { space: string; spaceId: string; sender: string; kind: string; text: string; seq: string };
type Reply = { spaceId: string; text: string };

const INBOX_LINE =
  /^\[(?<space>[^\]]*)\] (?<sender>[^(]*) \((?<kind>human|agent)\): (?<text>".*") \((?:urgent, )?space (?<spaceId>[0-9a-f-]{36}), message (?<seq>\d+),[^"]*\)$/;
// What an own plan says when it comes due.
const PLAN_LINE = /^plan [^"()]*: (?<text>".*") \(due [^"]*\)$/;
const REMINDER =
  /\bremind me in (?<delay>\d+ ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)) (?:to|of|about|that) (?<what>.+)/i;
const EVERYONE = /\b(everyone|everybody|all of you|anyone|anybody|you both|you all)\b/i;
const MEMORY = /\b(remember|recall|did i (say|tell|write)|what have i)\b/i;

// One refusal may be a space left since; a second one will not go away by asking again.
const PATIENCE = 2;

const CONFESSION =
  'I am a rehearsal: no language model thinks here, I follow a short script. Set OPENAI_API_KEY or WAKEFUL_COMPATIBLE_URL and I think for real.';

/** A deterministic stand-in for a mind. It reads the same prompt that a language model would get, and nothing else. */
export function nextLine(prompt: LanguageModelV4Prompt): Line {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
  const start = prompt.findLastIndex((message) => message.role === 'user' && textOf(message).startsWith('INBOX ('));
  const name = /^You are (.+) \(entityId:/m.exec(system)?.[1] ?? 'Agent';
  const inbox = start === -1 ? [] : heardIn(textOf(prompt[start]!));
  const before = prompt.slice(0, Math.max(0, start));
  const mine = inbox.filter((heard) => isForMe(heard, name, system));
  const due = start === -1 ? [] : dueIn(textOf(prompt[start]!));
  if (mine.length + due.length === 0) return { kind: 'call', name: 'skip', input: { reason: skipReason(inbox, name) } };

  const reminder = mine.flatMap(reminderIn)[countSince(prompt, start, 'set_plans')];
  if (reminder !== undefined && refusedSince(prompt, start) === 0)
    return { kind: 'call', name: 'set_plans', input: { plans: [reminder] } };
  const replies = [...reminders(due, before), ...composeReplies(mine, name, before, reminder === undefined)];
  const done = countSince(prompt, start, 'send_message');
  const next = replies[done];
  if (next === undefined) return { kind: 'text', text: closing(mine, due) };
  if (refusedSince(prompt, start) >= PATIENCE)
    return {
      kind: 'text',
      text: `Could not ${mine[0] === undefined ? 'remind anybody' : `answer ${mine[0].sender} in ${mine[0].space}`}.`,
    };
  const here = whereAmI(prompt);
  if (here !== next.spaceId) return { kind: 'call', name: 'enter_space', input: { spaceId: next.spaceId } };
  return { kind: 'call', name: 'send_message', input: { text: next.text } };
}

function textOf(message: LanguageModelV4Prompt[number]): string {
  if (message.role === 'system') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function heardIn(inbox: string): Heard[] {
  return inbox.split('\n').flatMap((line) => {
    const groups = INBOX_LINE.exec(line)?.groups;
    if (groups === undefined) return [];
    const heard = groups as Record<keyof Heard, string>;
    return [{ ...heard, text: JSON.parse(heard.text) as string }];
  });
}

/** Named, or everyone is meant, or nobody is named and I am the first agent on the list. Agents are never answered: two rehearsals would chat for ever. */
function isForMe(heard: Heard, name: string, system: string): boolean {
  if (heard.kind !== 'human') return false;
  if (names(heard.text, name) || EVERYONE.test(heard.text)) return true;
  const roster = new RegExp(`\\(id: ${heard.spaceId}\\), members: (.*)$`, 'm').exec(system)?.[1]?.split(', ') ?? [];
  const agents = roster.filter((member) => member === 'You' || member.endsWith(' (agent)'));
  const others = agents.map((member) => member.replace(/ \(agent\)$/, '')).filter((member) => member !== 'You');
  return !others.some((other) => names(heard.text, other)) && agents[0] === 'You';
}

function names(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^\\p{L}\\p{N}])${escaped}([^\\p{L}\\p{N}]|$)`, 'iu').test(text);
}

function skipReason(inbox: Heard[], name: string): string {
  const first = inbox[0];
  return first === undefined ? `nothing here is for ${name}` : `what ${first.sender} said is not for ${name}`;
}

/** One reply per space, in the order in which the spaces spoke. */
function composeReplies(mine: Heard[], name: string, before: LanguageModelV4Prompt, planned: boolean): Reply[] {
  const earlier = before.flatMap((message) => (message.role === 'user' ? heardIn(textOf(message)) : []));
  const introduced = before.some(
    (message) => message.role === 'assistant' && JSON.stringify(message.content).includes(CONFESSION),
  );
  return [...Map.groupBy(mine, (heard) => heard.spaceId)].map(([spaceId, heard], index) => {
    const last = heard.at(-1)!;
    const intro = introduced || index > 0 ? [] : [CONFESSION];
    return {
      spaceId,
      text: [`Hello ${last.sender}, ${name} here.`, ...intro, substance(last, heard, earlier, planned)].join(' '),
    };
  });
}

function substance(last: Heard, heard: Heard[], earlier: Heard[], planned: boolean): string {
  const known = earlier.filter((one) => one.sender === last.sender);
  if (MEMORY.test(last.text)) {
    if (known.length === 0) return 'This is the first thing I hear from you.';
    return `I remember ${known.length} earlier message${known.length === 1 ? '' : 's'} from you; the last said ${JSON.stringify(known.at(-1)!.text)}.`;
  }
  const reminder = REMINDER.exec(last.text)?.groups;
  if (reminder !== undefined) return planned ? `I will remind you in ${reminder['delay']}.` : 'I could not plan that.';
  const what =
    heard.length === 1
      ? JSON.stringify(shorten(last.text))
      : `${heard.length} messages, the last ${JSON.stringify(shorten(last.text))}`;
  return `I heard ${what}.`;
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200).toWellFormed()}…`;
}

/** A plan for whoever wants to be reminded, told so that a later cycle needs nothing else. */
function reminderIn({ text, sender, seq }: Heard): object[] {
  const { delay, what } = REMINDER.exec(text)?.groups ?? {};
  if (delay === undefined || what === undefined) return [];
  return [
    { id: `reminder-${seq}`, instruction: `${sender}, you wanted to be reminded: ${shorten(what)}`, runAfter: delay },
  ];
}

function dueIn(inbox: string): string[] {
  return inbox.split('\n').flatMap((line) => {
    const text = PLAN_LINE.exec(line)?.groups?.['text'];
    return text === undefined ? [] : [JSON.parse(text) as string];
  });
}

/** Said where the agent was last: that is where it was asked. */
function reminders(due: string[], before: LanguageModelV4Prompt): Reply[] {
  if (due.length === 0) return []; // a long past takes a while to go through
  const here = whereAmI(before);
  return here === undefined ? [] : due.map((text) => ({ spaceId: here, text }));
}

function closing(mine: Heard[], due: string[]): string {
  if (mine.length === 0) return `A plan came due: ${due.map(shorten).join('; ')}. Nothing is open.`;
  const about = mine.map((heard) => `${heard.sender} in ${heard.space} about ${JSON.stringify(shorten(heard.text))}`);
  return `Answered ${about.join('; ')}. Nothing is open.`;
}

/** Calls of this cycle that went well. */
function countSince(prompt: LanguageModelV4Prompt, start: number, tool: string): number {
  const made = toolResults(prompt.slice(start + 1)).filter((result) => result.toolName === tool);
  return made.filter((result) => !result.output.type.startsWith('error')).length;
}

function refusedSince(prompt: LanguageModelV4Prompt, start: number): number {
  return toolResults(prompt.slice(start + 1)).filter((result) => result.output.type.startsWith('error')).length;
}

/** Known from memory alone: the last space entered and not left since. */
function whereAmI(prompt: LanguageModelV4Prompt): string | undefined {
  let here: string | undefined;
  for (const result of toolResults(prompt)) {
    const { output } = result;
    if (output.type === 'error-text' && output.value.includes('enter_space')) here = undefined;
    if (output.type !== 'json' || output.value === null || typeof output.value !== 'object') continue;
    const entered = 'spaceId' in output.value ? output.value.spaceId : undefined;
    if (result.toolName === 'enter_space' && typeof entered === 'string') here = entered;
    if (result.toolName === 'leave_space') here = undefined;
  }
  return here;
}

function toolResults(prompt: LanguageModelV4Prompt) {
  return prompt.flatMap((message) =>
    message.role === 'tool' ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part] : [])) : [],
  );
}
