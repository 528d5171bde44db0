import { label } from './label.ts';
import { quote } from './quote.ts';

/** A word or sentence as it is when it can do no harm inside a line of ours, in quotes when it could. */
export function plain(text: string): string {
  return text !== '' && label(text) === text ? text : quote(text);
}
