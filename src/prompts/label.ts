/** A name inside a line of ours: no quotes, brackets or line breaks with which it could pose as something else. */
export function label(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"[\](){}<>]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
