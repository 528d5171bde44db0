export type InboxLine = { space?: string; sender: string; text: string };

// `[space] name (kind): "text" (marks)`, or `plan name: "text" (marks)`. Names hold no brackets and no quotes, so the first fit is the only one.
const LINE =
  /^(?:\[(?<space>[^\]]*)\] )?(?:(?<name>[^()]+) \((?:human|agent)\)|(?<type>\w+(?: [^()"]*)?)): (?<quoted>["{[].*) \([^()]*\)$/;

/** A line of an inbox message read back: who, where, and what was said, without its quotes. */
export function readInboxLine(line: string): InboxLine | undefined {
  const { space, name, type, quoted } = LINE.exec(line)?.groups ?? {};
  const sender = name ?? type;
  if (sender === undefined || quoted === undefined) return undefined;
  const text = unquote(quoted);
  return text === undefined ? undefined : { ...(space !== undefined && { space }), sender, text };
}

function unquote(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : quoted;
  } catch {
    return undefined;
  }
}
