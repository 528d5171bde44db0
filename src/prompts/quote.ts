// JSON leaves these as they are, and many readers break the line at them.
const LINE_BREAKS = /[\u007F-\u009F\u2028\u2029]/g;

/** What others wrote, as JSON on a single line: it cannot end its quotes nor begin a line of its own. */
export function quote(value: string | object): string {
  return JSON.stringify(value).replaceAll(
    LINE_BREAKS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
