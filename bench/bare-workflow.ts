import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

export type BareActivities = { touch(ticket: number): Promise<void> };

export const goSignal = defineSignal<[number]>('go');

const { touch } = proxyActivities<BareActivities>({ startToCloseTimeout: '10 seconds' });

/** The least Temporal can do for us: asleep until a signal, then one activity that does nothing. */
export async function bare(): Promise<void> {
  const tickets: number[] = [];
  setHandler(goSignal, (ticket) => void tickets.push(ticket));
  for (;;) {
    await condition(() => tickets.length > 0);
    await touch(tickets.shift()!);
  }
}
