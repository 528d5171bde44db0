import type { MockLanguageModelV4 } from 'ai/test';

import { reply, scriptedModel, streamOf, USAGE } from '../test/support/scripted-model.ts';
import {
  AGENT_WORKFLOW,
  agentWorkflowId,
  configChangedSignal,
  planScheduleId,
  stopSignal,
  type AgentInput,
} from '../workflows/contract.ts';
import { setPlans } from '../src/plans/set-plans.ts';
import { until, type RecordingRoom, type RoomOptions } from './recording-room.ts';

export type Scene = {
  /** Whose history is recorded; the agent's unless said otherwise. */
  workflowId?(room: RecordingRoom): Promise<string>;
  options?: RoomOptions;
  model(): MockLanguageModelV4;
  play(room: RecordingRoom, model: MockLanguageModelV4): Promise<void>;
};

const never = (): Promise<never> => new Promise(() => undefined);
const enter = (prompt: unknown) =>
  reply({ call: 'enter_space', input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! } });
const send = (text: string) => reply({ call: 'send_message', input: { text } });
const done = reply({ text: 'Done.' });

/** Every way through the workflows, one short life each. A new branch in a workflow wants a scene here. */
export const scenes: Record<string, Scene> = {
  'one-cycle': {
    model: () => scriptedModel(enter, send('Hello.'), done),
    play: (room) => room.say('one'),
  },
  burst: {
    options: { settings: { gatherMs: 500 } },
    model: () => scriptedModel(enter, send('Three.'), done),
    async play(room) {
      await Promise.all(['one', 'two', 'three'].map((text) => room.say(text)));
    },
  },
  'message-while-thinking': {
    model: () => scriptedModel(enter, slowly(send('First.')), done, send('Second.'), done),
    async play(room, model) {
      await room.say('one');
      await asked(model, 2);
      await room.say('two');
    },
  },
  skip: {
    model: () => scriptedModel(reply({ call: 'skip', input: { reason: 'for Ben' } })),
    play: (room) => room.say('Hello Ben'),
  },
  stop: {
    model: () => scriptedModel(enter, never, send('Here again.'), done),
    async play(room, model) {
      await room.say('one');
      await asked(model, 2);
      await stop(room);
      await room.settled();
      await room.say('two');
    },
  },
  'failed-three-times': {
    options: { retryMs: 1 },
    model: failing,
    play: (room) => room.say('one'),
  },
  'stopped-while-retrying': {
    options: { retryMs: 1_000 },
    // Refused, not unavailable: the cycle fails at the first try and waits five seconds for the next.
    model: () => refusing(),
    async play(room) {
      await room.say('one');
      await until('the run has failed once', async () => (await room.runs())[0]?.failures === 1);
      await until(
        'the agent waits',
        async () => (await room.handle.query<{ status: string }>('status')).status === 'retrying',
      );
      await stop(room);
    },
  },
  'settled-by-workflow': {
    // The activity cannot think with a model that nobody knows; the workflow has the run ended.
    options: { model: 'test:unknown' },
    model: () => scriptedModel(),
    play: (room) => room.say('one'),
  },
  'name-changed': {
    model: () => scriptedModel(enter, send('Hello.'), done),
    async play(room) {
      await room.say('one');
      await room.settled();
      await room.handle.signal(configChangedSignal, { name: 'Ada Lovelace' });
    },
  },
  compaction: {
    options: { settings: { gatherMs: 0, maxConsciousnessTokens: 2_000, minRecentCycles: 1 } },
    model: honest,
    async play(room) {
      for (const text of ['one', 'two', 'three']) {
        await room.say(`${text} ${'and on '.repeat(500)}`);
        await room.settled();
      }
    },
  },
  plan: {
    model: () => scriptedModel(done),
    async play(room) {
      const { orgId, agentId, runtime } = room;
      const entry = { id: PLAN, instruction: 'Tell Ana', runAfter: '1s' };
      await runtime.db.transaction().execute((trx) => setPlans(trx, { orgId, agentId }, [entry], { floorSeconds: 60 }));
      runtime.planner.wake();
      await until('the plan has woken the agent', async () => (await room.runs()).length === 1);
    },
    workflowId: firingOf,
  },
  'continue-as-new': {
    options: { settings: { gatherMs: 0 } },
    model: () => scriptedModel(enter, done, done, done, done, done),
    async play(room) {
      const { agentId, orgId, runtime } = room;
      const input: AgentInput = { agentId, orgId, name: 'Ada', rollover: { signals: 2, events: 1_000 } };
      const { taskQueue } = runtime.config;
      await runtime.client.workflow.start(AGENT_WORKFLOW, {
        workflowId: agentWorkflowId(agentId),
        taskQueue,
        args: [input],
      });
      for (const text of ['one', 'two', 'three']) {
        await room.say(text);
        await room.settled();
      }
    },
  },
};

const PLAN = 'tell-ana';

async function firingOf(room: RecordingRoom): Promise<string> {
  const plan = await room.runtime.db
    .selectFrom('plans')
    .select(['id', 'scheduled_at'])
    .where('name', '=', PLAN)
    .executeTakeFirstOrThrow();
  return `${planScheduleId(plan.id)}-${plan.scheduled_at!.toISOString().replace('.000Z', 'Z')}`; // Temporal adds the time
}

function slowly(parts: ReturnType<typeof reply>) {
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return parts;
  };
}

/** Says what the prompt really weighs: an agent compacts by the model's own count. */
function honest(): MockLanguageModelV4 {
  const model = scriptedModel();
  model.doStream = ({ prompt, tools }) => {
    const total = Math.ceil(JSON.stringify([prompt, tools]).length / 3.5);
    const usage = { ...USAGE, inputTokens: { ...USAGE.inputTokens, total, noCache: total } };
    const parts = done.map((part) => (part.type === 'finish' ? { ...part, usage } : part));
    return Promise.resolve({ stream: streamOf(parts) });
  };
  return model;
}

function failing(): MockLanguageModelV4 {
  const model = scriptedModel();
  model.doStream = () => Promise.reject(new Error('no model today'));
  return model;
}

function refusing(): MockLanguageModelV4 {
  const model = scriptedModel();
  model.doStream = () => Promise.reject(Object.assign(new Error('bad request'), { statusCode: 400 }));
  return model;
}

async function asked(model: MockLanguageModelV4, times: number): Promise<void> {
  await until(`the model is asked ${times} times`, () => Promise.resolve(model.doStreamCalls.length >= times));
}

async function stop(room: RecordingRoom): Promise<void> {
  const [run] = await room.runs();
  await room.handle.signal(stopSignal, { runId: run!.id });
}
