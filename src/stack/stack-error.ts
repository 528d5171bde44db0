/** Says the progress of something slow, one line at a time, to whoever waits for it. */
export type Progress = (line: string) => void;

/** A start that cannot go on, in one sentence that a user can act on; shown without a stack. */
export class StackError extends Error {
  override readonly name = 'StackError';
}
