const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// Ctrl-C reaches this process from the terminal and once more through npm; both together are one wish to stop.
const SAME_WISH_MILLISECONDS = 1_000;

interface StopOptions {
  /** Closes everything in good order. */
  close: () => Promise<void>;
  say: (line: string) => void;
}

/** First signal: close in good order and leave. Another one after a moment: leave at once. */
export function stopOnSignals({ close, say }: StopOptions): { requested(): boolean } {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      say('stopping; press Ctrl-C again to stop at once');
      void closeAndExit(close, say);
    } else if (Date.now() - firstAt > SAME_WISH_MILLISECONDS) {
      say(`stopping at once (${signal})`);
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return { requested: () => firstAt !== undefined };
}

async function closeAndExit(close: () => Promise<void>, say: (line: string) => void): Promise<void> {
  try {
    await close();
    say('stopped; all data is kept');
    process.exit(0);
  } catch (error) {
    say(`stopped with a fault: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
