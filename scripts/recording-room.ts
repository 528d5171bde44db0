import { setTimeout as sleep } from 'node:timers/promises';

import type { MockLanguageModelV4 } from 'ai/test';
import { pino } from 'pino';

import { createAgent } from '../src/agents/create-agent.ts';
import type { GivenSettings } from '../src/agents/settings.ts';
import { readConfig } from '../src/config.ts';
import { createHuman } from '../src/entities/create-human.ts';
import { createOrganization } from '../src/organizations/create-organization.ts';
import { AppError } from '../src/errors.ts';
import type { Models } from '../src/models/models.ts';
import { openRuntime, type Runtime } from '../src/runtime.ts';
import { createSpace } from '../src/spaces/create-space.ts';
import { postMessage } from '../src/spaces/post-message.ts';
import { startWorker } from '../src/worker.ts';
import { scriptedModels } from '../test/support/scripted-model.ts';
import { agentWorkflowId } from '../workflows/contract.ts';

export type Servers = { databaseUrl: string; temporalAddress: string };

export type RoomOptions = { settings?: GivenSettings; retryMs?: number; model?: string };

const PATIENCE_MS = 20_000;

/** One human, one agent with a scripted mind, one space, and a worker of their own. */
export async function openRecordingRoom(
  servers: Servers,
  scene: string,
  model: MockLanguageModelV4,
  options: RoomOptions,
) {
  const config = {
    ...readConfig({ WAKEFUL_LOG_LEVEL: 'silent', WAKEFUL_MODEL_RETRY_MS: String(options.retryMs ?? 20) }),
    taskQueue: `record-${scene}`,
  };
  const known = scriptedModels({ 'test:default': model });
  const models: Models = {
    ...known,
    get(name) {
      if (name !== known.default) throw new AppError('unknown-model', `"${name}" is not a model`);
      return known.get(name);
    },
  };
  const runtime = await openRuntime({ ...servers, config, models, log: pino({ level: 'silent' }) });
  const worker = await startWorker(runtime);
  const { orgId, ana, ada, lobby } = await furnish(runtime, options);
  const handle = runtime.client.workflow.getHandle(agentWorkflowId(ada.id));

  return {
    runtime,
    orgId,
    agentId: ada.id,
    handle,
    async say(text: string): Promise<void> {
      const sender = { ...ana, kind: 'human' as const };
      const posted = await runtime.db
        .transaction()
        .execute((trx) => postMessage(trx, { orgId, spaceId: lobby.id, sender, text }));
      runtime.dispatcher.ring(posted.agentIds);
    },
    runs: () =>
      runtime.db.selectFrom('runs').select(['id', 'status', 'failures']).where('agent_id', '=', ada.id).execute(),
    settled: () =>
      until('the inbox of the agent is settled', async () => {
        const open = await runtime.db
          .selectFrom('inbox_events')
          .select('id')
          .where('agent_id', '=', ada.id)
          .where('status', 'in', ['pending', 'claimed'])
          .execute();
        return open.length === 0;
      }),
    async close(): Promise<void> {
      await worker.stop();
      await runtime.close();
    },
  };
}

export type RecordingRoom = Awaited<ReturnType<typeof openRecordingRoom>>;

/** Bounded, and says what it waited for. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms, but not so: ${what}`);
    await sleep(20);
  }
}

async function furnish(runtime: Runtime, options: RoomOptions) {
  return runtime.db.transaction().execute(async (trx) => {
    const { id: orgId } = await createOrganization(trx, 'Recording');
    const ana = await createHuman(trx, orgId, 'Ana');
    const ada = await createAgent(trx, orgId, {
      name: 'Ada',
      instructions: 'You are Ada.',
      model: options.model ?? 'test:default',
      settings: options.settings,
    });
    const lobby = await createSpace(trx, { orgId, name: 'Lobby', memberIds: [ana.id, ada.id] });
    return { orgId, ana, ada, lobby };
  });
}
