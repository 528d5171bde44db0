import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { checkViews } from '../support/checker.ts';
import type { FakePart, FakeReply, Script } from '../support/fake-model-server.ts';
import { stepOf } from '../support/greeting-script.ts';
import { openHttpScene, spaceIn, speech, type HttpScene } from '../support/http-scene.ts';
import { say, watch, type Room } from '../support/room.ts';

const AGENTS = 20;

let scene: HttpScene;
beforeAll(async () => {
  scene = await openHttpScene();
});
afterAll(() => scene.close());

type Logged = { seq: number; type: string; data: Record<string, unknown> };

async function logOf(room: Room): Promise<Logged[]> {
  const rows = scene.db.selectFrom('space_events').select(['seq', 'type', 'data']).where('space_id', '=', room.spaceId);
  return (await rows.orderBy('seq').execute()) as Logged[];
}

/** What the tools of a cycle were seen to do: name and kind of each moment, pieces of input joined. */
async function toolMoments(room: Room): Promise<{ type: string; name: unknown; text: string; error: unknown }[]> {
  const moments: { type: string; name: unknown; callId: unknown; text: string; error: unknown }[] = [];
  for (const { type, data } of (await logOf(room)).filter((event) => event.type.startsWith('tool.'))) {
    const last = moments.at(-1);
    if (type === 'tool.input.delta' && last?.type === type && last.callId === data['callId'])
      last.text += String(data['text']);
    else {
      const { name, callId, text = '', error } = data;
      moments.push({ type, name, callId, text: String(text), error });
    }
  }
  return moments.map(({ callId: _callId, ...moment }) => moment);
}

/** The pieces of the agent's messages, by draft. */
async function piecesOf(room: Room): Promise<string[][]> {
  const drafts = new Map<string, string[]>();
  for (const { type, data } of await logOf(room)) {
    if (type !== 'message.delta') continue;
    const { draftId, offset, text } = data as { draftId: string; offset: number; text: string };
    const pieces = drafts.get(draftId) ?? [];
    expect(offset, 'a piece begins where the last one ended').toBe(pieces.join('').length);
    drafts.set(draftId, [...pieces, text]);
  }
  return [...drafts.values()];
}

async function answersOf(room: Room): Promise<string[]> {
  const messages = await scene.world.messages(room.spaceId);
  return messages.filter((message) => message.sender_name === 'Ada').map((message) => message.text);
}

async function ask(room: Room): Promise<void> {
  const watcher = watch(scene.url, room);
  await say(scene.url, room, 'Hello Ada');
  await scene.settled(room);
  await checkViews(scene.db, scene.url, room, watcher);
}

describe('tools that people may watch (TC-33)', () => {
  /** Enters, then plays the reply, then ends. */
  const afterEntering =
    (reply: (repeat: number) => FakeReply): Script =>
    (request, repeat) => {
      const step = stepOf(request);
      if (step === 0) return { say: [{ call: 'enter_space', input: { spaceId: spaceIn(request) } }] };
      return step === 1 ? reply(repeat) : { say: [{ text: 'Done.' }] };
    };

  test('show their start, their input as it is written, and their result; the others show nothing', async () => {
    const input = JSON.stringify({ limit: 5, before: 1_000 });
    scene.model.play(
      afterEntering(() => ({
        say: [{ text: 'A private thought.' }, { call: 'read_messages', input }, { call: 'get_my_runs', input: {} }],
        chunkSize: 3,
      })),
    );
    const room = await scene.room({ visibleTools: ['read_messages', 'send_message'] });
    await ask(room);
    const log = await logOf(room);
    expect(await toolMoments(room)).toEqual([
      { type: 'tool.started', name: 'read_messages', text: '', error: undefined },
      { type: 'tool.input.delta', name: 'read_messages', text: input, error: undefined },
      { type: 'tool.finished', name: 'read_messages', text: '', error: undefined },
    ]);
    const finished = log.find((event) => event.type === 'tool.finished');
    expect(finished?.data['output']).toMatchObject({ messages: [{ text: 'Hello Ada' }] });
    expect(JSON.stringify(log)).not.toContain('private thought');
    expect(JSON.stringify(log)).not.toContain('get_my_runs');
  });

  test('show it too when nothing came of the call: refused, senseless, or never finished', async () => {
    const calls: FakePart[] = [
      { call: 'enter_space', input: { spaceId: 'Nowhere' } },
      { call: 'enter_space', input: { where: 'there' } },
    ];
    scene.model.play(
      afterEntering((repeat) => ({ say: calls, ...(repeat === 0 && { fault: { kind: 'reset' as const, after: 4 } }) })),
    );
    const room = await scene.room({ visibleTools: ['enter_space'] });
    await ask(room);
    const ends = (await toolMoments(room)).filter((moment) => moment.type === 'tool.finished');
    expect(ends.map((moment) => String(moment.error)).toSorted()).toEqual([
      'the call could not be carried out',
      'the model’s reply broke off, so the call was not made',
      expect.stringContaining('you are not a member of a space "Nowhere"'),
    ]);
    const starts = (await toolMoments(room)).filter((moment) => moment.type === 'tool.started');
    expect(starts).toHaveLength(3);
  });

  test('end in the space in which they began, also behind an enter_space of the same reply', async () => {
    const { world } = scene;
    const [ana, ada] = [
      await world.human('Ana'),
      await world.agent('Ada', { settings: { visibleTools: ['read_messages'] } }),
    ];
    const lobby = await world.space('Lobby', [ana, ada]);
    const attic = await world.space('Attic', [ana, ada]);
    scene.model.play((request) => {
      if (stepOf(request) === 0) return { say: [{ call: 'enter_space', input: { spaceId: lobby } }] };
      if (stepOf(request) > 1) return { say: [{ text: 'Done.' }] };
      return {
        say: [
          { call: 'enter_space', input: { spaceId: attic } },
          { call: 'read_messages', input: {} },
        ],
      };
    });
    await world.say(ana, lobby, 'look in the attic');
    await world.settled(ada);
    const rows = await scene.db
      .selectFrom('space_events')
      .select(['space_id', 'type'])
      .where('space_id', 'in', [lobby, attic])
      .where('type', 'in', ['tool.started', 'tool.finished'])
      .orderBy('seq')
      .execute();
    expect(rows).toEqual([
      { space_id: attic, type: 'tool.started' },
      { space_id: attic, type: 'tool.finished' },
    ]);
  });
});

test('a message is shown in pieces of 36 to 72 characters', async () => {
  const text = 'Some words are short and extraordinarily many are considerably longer than that. '.repeat(25);
  scene.model.play(speech(text));
  const room = await scene.room();
  await ask(room);
  const [pieces, ...others] = await piecesOf(room);
  expect(others).toEqual([]);
  expect(pieces!.join('')).toBe(text);
  expect(Math.max(...pieces!.map((piece) => piece.length))).toBeLessThanOrEqual(72);
  // What is held back also goes out on a timer, and at the end: those few may be shorter.
  const short = pieces!.filter((piece) => piece.length < 36);
  expect(short.length).toBeLessThan(pieces!.length / 3);
});

test('what is shown is what is sent, whatever the characters and however the model cuts them', async () => {
  const written = [
    String.raw`{"text":"caf\u00e9 \ud83d\ude00 \"quoted\" back\\slash\ttab\nline \/ slash"}`,
    JSON.stringify({ text: '👩‍👩‍👧‍👦 family, العربية, 日本語, e\u0301, \u2028 separators \u007f' }),
    JSON.stringify({ mood: { text: 'not this' }, text: 'but this, with } and ] and "text": in it' }),
    String.raw`{"text" : "a lone \ud83d half and a nul \u0000 here"}`,
  ];
  for (const chunkSize of [1, 2, 5]) {
    scene.model.play(
      speech('', (step) =>
        step === 1 ? { say: written.map((input) => ({ call: 'send_message', input })), chunkSize } : {},
      ),
    );
    const room = await scene.room();
    await ask(room);
    const answers = await answersOf(room);
    expect(answers).toHaveLength(written.length);
    expect(answers[0]).toBe('café 😀 "quoted" back\\slash\ttab\nline / slash');
    expect((await piecesOf(room)).map((pieces) => pieces.join(''))).toEqual(answers);
  }
});

test(`${AGENTS} agents that stream at once through one worker all arrive, whole and in order`, async () => {
  const text = 'Twenty of us speak at the same time, and each is heard to the end. '.repeat(6);
  scene.model.play(speech(text, (step) => (step === 1 ? { pauseMs: 10 } : {})));
  const rooms = await Promise.all(Array.from({ length: AGENTS }, () => scene.room()));
  await Promise.all(rooms.map(ask));
  for (const room of rooms) {
    expect(await answersOf(room)).toEqual([text]);
    expect((await piecesOf(room)).map((pieces) => pieces.join(''))).toEqual([text]);
    const log = await logOf(room);
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
    const count = (type: string): number => log.filter((event) => event.type === type).length;
    expect([count('message.started'), count('message.created'), count('message.discarded')]).toEqual([1, 2, 0]);
  }
});
