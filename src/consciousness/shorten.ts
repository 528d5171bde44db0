import type { ModelMessage } from 'ai';

/** A message with long tool outputs (and, if need be, long texts and files) cut. The same object when nothing was too long. */
export function shorten(message: ModelMessage, most: { outputs: number; texts: number }): ModelMessage {
  if (typeof message.content === 'string') {
    return message.content.length <= most.texts
      ? message
      : ({ ...message, content: cut(message.content, most.texts) } as ModelMessage);
  }
  let changed = false;
  const content = message.content.map((part) => {
    const smaller = shortenPart(part as Part, most);
    if (smaller !== part) changed = true;
    return smaller;
  });
  return changed ? ({ ...message, content } as ModelMessage) : message;
}

type Part = Exclude<ModelMessage['content'], string>[number];

function shortenPart(part: Part, most: { outputs: number; texts: number }): Part {
  switch (part.type) {
    case 'tool-result': {
      const text = JSON.stringify('value' in part.output ? part.output.value : part.output);
      if (text.length <= most.outputs * 2) return part; // a note about what is missing would be as long as what it saves
      return { ...part, output: { type: 'text', value: cut(text, most.outputs, 'characters of this result') } };
    }
    case 'text':
    case 'reasoning':
      return part.text.length <= most.texts ? part : { ...part, text: cut(part.text, most.texts) };
    case 'tool-call': {
      const text = JSON.stringify(part.input) ?? '';
      return text.length <= most.texts ? part : { ...part, input: { shortened: cut(text, most.texts) } };
    }
    case 'file':
    case 'image':
      return most.texts === Number.POSITIVE_INFINITY
        ? part
        : { type: 'text', text: '[a file was here; it is left out to save room]' };
    default:
      return part;
  }
}

function cut(text: string, length: number, what = 'characters'): string {
  return `${text.slice(0, length).toWellFormed()}… [${text.length - length} ${what} are left out]`;
}
