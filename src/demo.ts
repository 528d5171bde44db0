import { sql } from 'kysely';

import { createAgent } from './agents/create-agent.ts';
import type { Db, Trx } from './db/open-database.ts';
import { createHuman } from './entities/create-human.ts';
import { createKey } from './keys/create-key.ts';
import { firstKey } from './keys/first-key.ts';
import { hashKey } from './keys/hash-key.ts';
import { createOrganization } from './organizations/create-organization.ts';
import type { Runtime } from './runtime.ts';
import { createSpace } from './spaces/create-space.ts';

const ORGANIZATION = 'Wakeful';
const SPACE = 'Lobby';
const HUMAN = 'Ana';

const AGENTS = [
  {
    name: 'Ada',
    instructions:
      'You welcome people who come to the Lobby and answer their questions, in a few friendly sentences. When somebody speaks to Ben by name, leave it to Ben.',
  },
  {
    name: 'Ben',
    instructions:
      'You keep notes and lists for the people in the Lobby: what was decided, what is to be done, who wanted what. You speak when somebody addresses you by name; otherwise you listen and stay silent.',
  },
];

// Any number will do, as long as all processes that start at once take the same lock.
const SEED_LOCK = 7_264_001;

export type Demo = { apiKey: string; spaceId: string; humanId: string; created: boolean };

/** Makes sure that the first admin key works, and that there is an organisation it belongs to. */
export async function ensureAdminKey(runtime: Runtime): Promise<{ apiKey: string; orgId: string }> {
  const { key, orgId } = await alone(runtime.db, (trx) => registerFirstKey(runtime, trx));
  return { apiKey: key, orgId };
}

/**
 * A space with a human and two agents, in an organisation that is still empty. Later starts find it again; undefined
 * when its owner has renamed or removed it since, which is theirs to do, or wanted none.
 */
export async function seedDemo(runtime: Runtime): Promise<Demo | undefined> {
  if (!runtime.config.demo) return undefined;
  return alone(runtime.db, async (trx) => {
    const { key: apiKey, orgId } = await registerFirstKey(runtime, trx);
    if (await isEmpty(trx, orgId)) return { apiKey, ...(await createLobby(trx, orgId)), created: true };
    const found = await findLobby(trx, orgId);
    return found === undefined ? undefined : { apiKey, ...found, created: false };
  });
}

async function registerFirstKey(runtime: Runtime, trx: Trx): Promise<{ key: string; orgId: string }> {
  const { config, log } = runtime;
  const key = await firstKey(config, (made) => isUsable(trx, made));
  const known = await trx
    .selectFrom('api_keys')
    .select(['org_id', 'revoked_at'])
    .where('hash', '=', hashKey(key))
    .executeTakeFirst();
  // Revoked stays revoked: whoever revoked it had a reason, and a restart is none to bring it back.
  if (known !== undefined && known.revoked_at !== null)
    log.warn('WAKEFUL_API_KEY was revoked and is not accepted; set another one');
  if (known !== undefined) return { key, orgId: known.org_id };
  const orgId = (await findOrganization(trx)) ?? (await createOrganization(trx, ORGANIZATION)).id;
  await createKey(trx, { orgId, key });
  return { key, orgId };
}

async function isUsable(trx: Trx, key: string): Promise<boolean> {
  const row = await trx.selectFrom('api_keys').select('revoked_at').where('hash', '=', hashKey(key)).executeTakeFirst();
  return row === undefined || row.revoked_at === null;
}

async function findOrganization(trx: Trx): Promise<string | undefined> {
  const row = await trx
    .selectFrom('organizations')
    .select('id')
    .where('name', '=', ORGANIZATION)
    .orderBy('id')
    .executeTakeFirst();
  return row?.id;
}

async function isEmpty(trx: Trx, orgId: string): Promise<boolean> {
  const entity = await trx.selectFrom('entities').select('id').where('org_id', '=', orgId).limit(1).executeTakeFirst();
  const space = await trx.selectFrom('spaces').select('id').where('org_id', '=', orgId).limit(1).executeTakeFirst();
  return entity === undefined && space === undefined;
}

async function createLobby(trx: Trx, orgId: string): Promise<{ spaceId: string; humanId: string }> {
  const human = await createHuman(trx, orgId, HUMAN);
  const memberIds = [human.id];
  for (const agent of AGENTS) memberIds.push((await createAgent(trx, orgId, agent)).id);
  const space = await createSpace(trx, { orgId, name: SPACE, memberIds });
  return { spaceId: space.id, humanId: human.id };
}

async function findLobby(trx: Trx, orgId: string): Promise<{ spaceId: string; humanId: string } | undefined> {
  const row = await trx
    .selectFrom('members')
    .innerJoin('spaces', 'spaces.id', 'members.space_id')
    .innerJoin('entities', 'entities.id', 'members.entity_id')
    .select(['spaces.id as spaceId', 'entities.id as humanId'])
    .where('spaces.org_id', '=', orgId)
    .where('spaces.name', '=', SPACE)
    .where('entities.kind', '=', 'human')
    .orderBy('spaces.id')
    .orderBy('entities.id')
    .executeTakeFirst();
  return row;
}

/** Two processes that start on an empty database at once make one organisation, not two. */
async function alone<Result>(db: Db, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${SEED_LOCK})`.execute(trx);
    return work(trx);
  });
}
