/** HTML that is safe to send: made only by the tag below. */
export type Html = { readonly html: string };

type Value = Html | string | number | undefined | readonly Value[];

/**
 * Template tag that escapes every value put into it, so that nobody can forget to. Not called `html`: formatters
 * rearrange the white space of templates with that name, and the hash of the style would no longer fit.
 */
export function markup(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { html: strings.reduce((text, part, index) => text + write(values[index - 1]) + part) };
}

function write(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value));
  return 'html' in value ? value.html : value.map(write).join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
