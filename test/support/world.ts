import { randomBytes } from 'node:crypto';

import { pino } from 'pino';

import { readConfig } from '../../src/config.ts';
import { newId } from '../../src/db/id.ts';
import type { Models } from '../../src/models/models.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { postMessage } from '../../src/spaces/post-message.ts';
import type { Message } from '../../src/stream/space-event.ts';
import { installTemporalLogging } from '../../src/stack/temporal-logging.ts';
import { startWorker } from '../../src/worker.ts';
import { sharedTemporal } from './stack.ts';
import { createTestDatabase } from './test-database.ts';

export type Person = { id: string; name: string; kind: 'human' | 'agent' };

export type World = {
  runtime: Runtime;
  orgId: string;
  human(name: string): Promise<Person>;
  agent(name: string, options?: { model?: string; instructions?: string; settings?: object }): Promise<Person>;
  space(name: string, members: Person[]): Promise<string>;
  say(sender: Person, spaceId: string, text: string, options?: { urgent?: boolean }): Promise<Message>;
  messages(spaceId: string): Promise<{ sender_name: string; text: string; seq: number }[]>;
  /** Waits until no event of the agent is open. */
  settled(agent: Person, milliseconds?: number): Promise<void>;
  close(): Promise<void>;
};

const silent = pino({ level: 'silent' });
installTemporalLogging(silent);

/** A database, a task queue and a worker of the test's own, on the shared servers. */
export async function openWorld(options: {
  models?: Models;
  /** In place of `models`: the real providers, all agents at the chat-completions server behind this URL. */
  modelUrl?: string;
  worker?: boolean;
  retryMs?: number;
  environment?: Record<string, string>;
}): Promise<World> {
  const database = await createTestDatabase();
  const config = {
    ...readConfig({
      WAKEFUL_LOG_LEVEL: 'silent',
      WAKEFUL_EMBEDDING_MODEL: 'local:letters', // the sentence model would take a core from what is tested
      WAKEFUL_MODEL_RETRY_MS: String(options.retryMs ?? 20),
      ...(options.modelUrl !== undefined && {
        WAKEFUL_COMPATIBLE_URL: options.modelUrl,
        WAKEFUL_MODEL: 'compatible:fake',
      }),
      ...options.environment,
    }),
    taskQueue: `test-${randomBytes(6).toString('hex')}`,
  };
  const runtime = await openRuntime({
    config,
    databaseUrl: database.url,
    temporalAddress: sharedTemporal(),
    log: silent,
    ...(options.models !== undefined && { models: options.models }),
  });
  const worker = options.worker === false ? undefined : await startWorker(runtime);
  const { db } = runtime;
  const orgId = newId();
  await db.insertInto('organizations').values({ id: orgId, name: 'Test' }).execute();

  const entity = async (name: string, kind: Person['kind']): Promise<Person> => {
    const id = newId();
    await db.insertInto('entities').values({ id, org_id: orgId, kind, name }).execute();
    return { id, name, kind };
  };

  return {
    runtime,
    orgId,
    human: (name) => entity(name, 'human'),
    async agent(name, { model, instructions, settings } = {}) {
      const agent = await entity(name, 'agent');
      await db
        .insertInto('agents')
        .values({
          id: agent.id,
          org_id: orgId,
          instructions: instructions ?? `You are ${name}.`,
          model: model ?? null,
          settings: JSON.stringify(settings ?? {}),
        })
        .execute();
      return agent;
    },
    async space(name, members) {
      const id = newId();
      await db.insertInto('spaces').values({ id, org_id: orgId, name }).execute();
      for (const member of members) {
        await db.insertInto('members').values({ space_id: id, entity_id: member.id, org_id: orgId }).execute();
      }
      return id;
    },
    async say(sender, spaceId, text, { urgent } = {}) {
      const posted = await db
        .transaction()
        .execute((trx) => postMessage(trx, { orgId, spaceId, sender, text, ...(urgent !== undefined && { urgent }) }));
      runtime.dispatcher.ring(posted.agentIds);
      return posted.message;
    },
    messages: (spaceId) =>
      db
        .selectFrom('messages')
        .select(['sender_name', 'text', 'seq'])
        .where('space_id', '=', spaceId)
        .orderBy('seq')
        .execute(),
    async settled(agent, milliseconds = 20_000) {
      await eventually(`the inbox of ${agent.name} is settled`, milliseconds, async () => {
        const open = await db
          .selectFrom('inbox_events')
          .select('id')
          .where('agent_id', '=', agent.id)
          .where('status', 'in', ['pending', 'claimed'])
          .execute();
        return open.length === 0;
      });
    },
    async close() {
      await worker?.stop();
      await runtime.close();
      await database.drop();
    },
  };
}

/** Bounded, and says what it waited for. */
export async function eventually(what: string, milliseconds: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${milliseconds} ms, but not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
