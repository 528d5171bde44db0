/**
 * Reads one string field of a JSON object while its text still arrives, character by character, so that a long
 * message costs linear time (parsing the partial JSON anew for each delta is quadratic).
 * Only a field of the outermost object counts: `{"a":{"text":"no"},"text":"yes"}` gives `yes`.
 */
export function createTextField(field: string): { push(delta: string): string } {
  let depth = 0;
  let inString = false;
  let escape = '';
  let key = '';
  let reading: 'key' | 'wanted' | 'other' = 'other';
  let expectKey = false;
  let done = false;
  let half = ''; // a high surrogate waits for its partner: half a character must not go out

  const take = (character: string): string => {
    if (reading === 'key') key += character;
    return reading === 'wanted' ? character : '';
  };

  const inside = (character: string): string => {
    if (escape !== '') {
      escape += character;
      if (escape.length === 2 && character !== 'u') {
        escape = '';
        return take(SIMPLE[character] ?? character);
      }
      if (escape.length < 6) return '';
      const code = Number.parseInt(escape.slice(2), 16);
      escape = '';
      return take(Number.isNaN(code) ? '\uFFFD' : String.fromCharCode(code));
    }
    if (character === '\\') {
      escape = character;
      return '';
    }
    if (character !== '"') return take(character);
    inString = false;
    if (reading === 'wanted') done = true;
    return '';
  };

  const outside = (character: string): void => {
    if (character === '{' || character === '[') {
      depth += 1;
      expectKey = character === '{';
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',') expectKey = true;
    else if (character === ':') expectKey = false;
    else if (character === '"') {
      inString = true;
      if (depth === 1 && expectKey) {
        reading = 'key';
        key = '';
      } else reading = depth === 1 && key === field ? 'wanted' : 'other';
    }
  };

  return {
    push(delta) {
      let text = half;
      half = '';
      for (const character of delta.split('')) {
        if (done) break;
        if (inString) text += inside(character);
        else outside(character);
      }
      if (/[\uD800-\uDBFF]$/.test(text) && !done) {
        half = text.slice(-1);
        text = text.slice(0, -1);
      }
      return text;
    },
  };
}

const SIMPLE: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
