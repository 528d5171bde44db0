import { cutText } from '../db/cut-text.ts';

/** A result too long for the model: its beginning, how much is missing, and where the rest can be read. */
export function cutOutput<Output>(
  output: Output,
  longest: number,
  resultId: string,
): { output: Output | object; whole: string | null } {
  const text = JSON.stringify(output);
  if (text.length <= longest) return { output, whole: null };
  const shown = cutText(text, 0, longest);
  const missing = text.length - shown.length;
  return {
    whole: text,
    output: {
      truncated: true,
      resultId,
      shown,
      missingCharacters: missing,
      note: `${missing} of ${text.length} characters are not shown; read_result with this resultId and offset ${shown.length} reads on`,
    },
  };
}
