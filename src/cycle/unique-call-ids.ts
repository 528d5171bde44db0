import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/**
 * Some servers number calls anew in each reply; a repeated id would answer a new call with an old result. Renamed while
 * the reply still streams, so that a call has one id for those who watch it and for those who run it.
 */
export function uniqueCallIds(taken: string[]): (part: LanguageModelV4StreamPart) => LanguageModelV4StreamPart {
  const used = new Set(taken);
  const names = new Map<string, string>();
  const opened = new Set<string>();

  const fresh = (id: string): string => {
    const base = id === '' ? 'call' : id;
    let name = base;
    for (let count = 2; used.has(name); count += 1) name = `${base}-${count}`;
    used.add(name);
    names.set(id, name);
    return name;
  };

  return (part) => {
    switch (part.type) {
      case 'tool-input-start':
        opened.add(part.id);
        return { ...part, id: fresh(part.id) };
      case 'tool-input-delta':
      case 'tool-input-end':
        return { ...part, id: names.get(part.id) ?? part.id };
      case 'tool-call': {
        const { toolCallId: id } = part;
        return { ...part, toolCallId: opened.delete(id) ? (names.get(id) ?? id) : fresh(id) };
      }
      case 'tool-result':
      case 'tool-approval-request':
        return { ...part, toolCallId: names.get(part.toolCallId) ?? part.toolCallId };
      default:
        return part;
    }
  };
}
