type Closer = () => Promise<void> | void;

/** What has been opened, as a list of how to close it: last opened, first closed; every one runs, the first fault is kept. */
export class Closers {
  readonly #closers: Closer[] = [];

  push(closer: Closer): void {
    this.#closers.push(closer);
  }

  /** Safe to call again: what has been closed is no longer in the list. */
  async close(): Promise<void> {
    const faults: unknown[] = [];
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop()) {
      try {
        await closer();
      } catch (error) {
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }
}
