import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page, Space, SpaceSummary } from '../../src/web/wire.ts';
import { createApiClient } from '../../src/web/api-client.ts';
import { runWakeful } from './run-wakeful.ts';
import { sharedTemporal } from './stack.ts';
import { createTestDatabase } from './test-database.ts';

export type WholeStack = { url: string; apiKey: string; spaceId: string; humanId: string; close(): Promise<void> };

/** `npm start` as a process of its own, with its demo, on the shared servers; given as soon as it answers. */
export async function startWholeStack(environment: Record<string, string> = {}): Promise<WholeStack> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'wakeful-whole-'));
  const apiKey = `wk_${randomBytes(24).toString('base64url')}`;
  const wakeful = runWakeful({
    environment: {
      PORT: '0',
      WAKEFUL_DATA_DIR: join(folder, 'data'),
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: sharedTemporal(),
      WAKEFUL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
      WAKEFUL_API_KEY: apiKey,
      ...environment,
    },
  });
  const close = async (): Promise<void> => {
    wakeful.kill('SIGTERM');
    await wakeful.ends();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const said = await wakeful.says(/^ +API +(http\S+)\/v1$/m);
    const url = /^ +API +(http\S+)\/v1$/m.exec(said)![1]!;
    return { url, apiKey, ...(await findLobby(url, apiKey)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findLobby(url: string, apiKey: string): Promise<{ spaceId: string; humanId: string }> {
  const api = createApiClient(apiKey, () => undefined, url);
  const { items } = await api.get<Page<SpaceSummary>>('/v1/spaces');
  const lobby = items.find((space) => space.name === 'Lobby');
  if (lobby === undefined)
    throw new Error(`the demo has no space "Lobby", only: ${items.map((space) => space.name).join(', ')}`);
  const { members } = await api.get<Space>(`/v1/spaces/${lobby.id}`);
  const human = members.find((member) => member.kind === 'human');
  if (human === undefined) throw new Error('the demo has no human in its Lobby');
  return { spaceId: lobby.id, humanId: human.id };
}
