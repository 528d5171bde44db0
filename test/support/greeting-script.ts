import type { ChatMessage, ChatRequest, Gate, RecordedRequest, Script } from './fake-model-server.ts';

export type Hold = { step: number; gate: Gate };

/** Four steps a cycle: enter_space, send_message, send_message, text. Greets whoever spoke, twice, naming what they said; each reply follows from the prompt alone. */
export function greetingScript(hold?: Hold): Script {
  return (request) => {
    const step = stepOf(request);
    const held = hold?.step === step ? { gate: hold.gate } : {};
    const { spaceId, said } = inboxOf(request);
    switch (step) {
      case 0:
        return { say: [{ call: 'enter_space', input: { spaceId } }], ...held };
      case 1:
        return { say: [{ text: 'I greet her.' }, { call: 'send_message', input: { text: first(said) } }], ...held };
      case 2:
        return { say: [{ call: 'send_message', input: { text: second(said) } }], ...held };
      default:
        return { say: [{ text: 'Greeted Ana twice in Lobby.' }], ...held };
    }
  };
}

export function first(said: string[]): string {
  return `Hello Ana, how good to see you here again. I heard: ${said.join(' / ')}`;
}

export function second(said: string[]): string {
  return `And while you are here, a second word on it, for ${said.join(' / ')}`;
}

/** Requests that were made for this agent, by the entity id in its instructions. */
export function requestsOf(requests: RecordedRequest[], agentId: string): RecordedRequest[] {
  return requests.filter(({ body }) => contentOf(body.messages[0]).includes(`entityId: ${agentId}`));
}

/** How many steps of this cycle lie behind. */
export function stepOf({ messages }: ChatRequest): number {
  const inbox = messages.findLastIndex(opensCycle);
  return messages.slice(inbox).filter((message) => message.role === 'assistant').length;
}

function inboxOf({ messages }: ChatRequest): { spaceId: string; said: string[] } {
  const inbox = contentOf(messages.findLast(opensCycle));
  const spaceId = /space ([0-9a-f-]{36})/.exec(inbox)?.[1] ?? 'none';
  const said = [...inbox.matchAll(/^\[Lobby\] Ana \(human\): ("(?:[^"\\]|\\.)*")/gm)];
  return { spaceId, said: said.map(([, text]) => JSON.parse(text ?? '""') as string) };
}

// Between steps the agent may also be shown what is waiting; that opens no cycle.
function opensCycle(message: ChatMessage): boolean {
  return message.role === 'user' && contentOf(message).startsWith('INBOX (');
}

function contentOf(message: ChatMessage | undefined): string {
  if (typeof message?.content === 'string') return message.content;
  return message?.content?.map((part) => part.text ?? '').join('') ?? '';
}
