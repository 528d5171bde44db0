import { milliseconds, percentile, table, times, verdict } from './figures.ts';
import type { Bench } from './open-bench.ts';
import { openRoom, type Answered, type Room } from './room.ts';

const SAMPLES = 100;
const WARM_UP = 10;
// An agent is signalled at most five times a second; asked in turn, no agent of the three comes near it.
const ROOMS = 3;
const REST_MS = 60;
const AIM = 2.5;

/** How long a person waits for the first words, beside the least that Temporal needs to run anything at all. */
export async function latency(bench: Bench): Promise<string> {
  const usual = await openRooms(bench, {});
  const eager = await openRooms(bench, { gatherMs: 0 });
  const bare: number[] = [];
  const gathered: Answered[] = [];
  const direct: Answered[] = [];
  for (let index = -WARM_UP; index < SAMPLES; index += 1) {
    // In turns, so that a noisy neighbour on this machine disturbs all three alike.
    const sample = [await bench.bare.roundTrip(), await ask(usual, index), await ask(eager, index)] as const;
    if (index < 0) continue;
    bare.push(sample[0]);
    gathered.push(sample[1]);
    direct.push(sample[2]);
  }
  for (const room of [...usual, ...eager]) room.close();

  const base = percentile(bare, 0.5);
  const wake = direct.map((sample) => sample.firstDeltaMs - sample.acceptedMs);
  const ratio = percentile(wake, 0.5) / base;
  const rows: [string, number[]][] = [
    ['bare Temporal: signal → activity', bare],
    ['wake (201) → first delta, gatherMs 0', wake],
    ['POST → first delta, gatherMs 0', delta(direct)],
    ['POST → first delta, gatherMs 50', delta(gathered)],
    ['POST → reply committed, gatherMs 0', reply(direct)],
    ['POST → reply committed, gatherMs 50', reply(gathered)],
  ];
  const figures = rows.map(([name, values]) => {
    const [p50, p95] = [percentile(values, 0.5), percentile(values, 0.95)];
    return [name, milliseconds(p50), milliseconds(p95), times(p50 / base)];
  });
  return [
    `Latency, ${SAMPLES} samples each, taken in turns`,
    table([['', 'p50', 'p95', 'p50 to bare'], ...figures]),
    verdict(`wake to first delta under ${AIM}× the bare round trip (${times(ratio)}, gatherMs 0)`, ratio < AIM),
  ].join('\n');
}

async function openRooms(bench: Bench, settings: { gatherMs?: number }): Promise<Room[]> {
  return Promise.all(Array.from({ length: ROOMS }, () => openRoom(bench, settings)));
}

async function ask(rooms: Room[], index: number): Promise<Answered> {
  const room = rooms[Math.abs(index) % rooms.length]!;
  const asleep = room.asleep();
  const answered = await room.ask(`Hello Ada, this is question ${index}`);
  await asleep;
  await new Promise((resolve) => setTimeout(resolve, REST_MS)); // the workflow's own last words are not the next sample's
  return answered;
}

function delta(samples: Answered[]): number[] {
  return samples.map((sample) => sample.firstDeltaMs);
}

function reply(samples: Answered[]): number[] {
  return samples.map((sample) => sample.replyMs);
}
