import { milliseconds, percentile, table } from './figures.ts';
import type { Bench } from './open-bench.ts';
import { openRoom, type Room } from './room.ts';

const CROWDS = [1, 10, 50];
const SECONDS = 10;

/** Cycles per second when each agent is asked again as soon as it has answered. */
export async function throughput(bench: Bench): Promise<string> {
  const rows: string[][] = [];
  for (const agents of CROWDS) {
    const rooms: Room[] = [];
    for (let index = 0; index < agents; index += 1) rooms.push(await openRoom(bench, {}));
    await Promise.all(rooms.map((room) => room.ask('Hello Ada, wake up'))); // the first cycle also enters the space
    const waits: number[] = [];
    const started = performance.now();
    await Promise.all(rooms.map((room) => keepAsking(room, started + SECONDS * 1_000, waits)));
    const seconds = (performance.now() - started) / 1_000;
    for (const room of rooms) room.close();
    const perSecond = waits.length / seconds;
    rows.push([
      String(agents),
      perSecond.toFixed(1),
      (perSecond / agents).toFixed(2),
      milliseconds(percentile(waits, 0.5)),
      milliseconds(percentile(waits, 0.95)),
    ]);
  }
  return [
    `Throughput, ${SECONDS} s each, one worker process, default settings`,
    table([['agents', 'cycles/s', 'per agent', 'reply p50', 'reply p95'], ...rows]),
    'No aim: two cores also carry Temporal, Postgres and the askers. Asked again at once, an agent goes on without a new signal.',
  ].join('\n');
}

async function keepAsking(room: Room, until: number, waits: number[]): Promise<void> {
  for (let index = 0; performance.now() < until; index += 1) {
    const { replyMs } = await room.ask(`Hello Ada, this is question ${index}`);
    waits.push(replyMs);
  }
}
