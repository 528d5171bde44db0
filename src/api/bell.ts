/** A hint that is never lost: rung while nobody waits, the next wait returns at once. */
export function createBell(): { ring(): void; wait(longestMs: number): Promise<void> } {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(longestMs) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, longestMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      rung = false;
    },
  };
}
