import type { Db, Trx } from '../db/open-database.ts';
import { embedTexts } from './embed-texts.ts';
import type { Embedder } from './embedder.ts';

type Waiting = { text: string; write(embedding: number[]): Promise<unknown> };

/** How far the search for vectors of an earlier embedder has come; undefined: nothing of that kind is left. */
export type Renewal = { afterAgent: string; afterCycle: number } | undefined;

/**
 * Gives vectors to some rows that have none: cycles, then memories; then to memories and cycles whose vectors another
 * embedder made.
 * The rows stay locked meanwhile, so that several workers take different ones.
 */
export async function embedWaiting(
  db: Db,
  embedder: Embedder,
  renewal: Renewal,
  signal: AbortSignal,
): Promise<{ count: number; renewal: Renewal }> {
  return db.transaction().execute(async (trx) => {
    let rows = await waitingCycles(trx, embedder);
    if (rows.length === 0) rows = await waitingMemories(trx, embedder);
    let left = renewal;
    if (rows.length === 0 && renewal !== undefined) rows = await outdatedMemories(trx, embedder);
    if (rows.length === 0 && renewal !== undefined) {
      const outdated = await outdatedCycles(trx, embedder, renewal);
      rows = outdated.rows;
      left = outdated.renewal;
    }
    const vectors = await embedTexts(
      embedder,
      rows.map((row) => row.text),
      signal,
    );
    for (const [index, row] of rows.entries()) await row.write(vectors[index]!);
    return { count: rows.length, renewal: left };
  });
}

async function waitingCycles(trx: Trx, embedder: Embedder): Promise<Waiting[]> {
  const rows = await trx
    .selectFrom('cycle_texts')
    .select(['agent_id', 'cycle', 'text'])
    .where('embedding', 'is', null)
    .orderBy('created_at')
    .limit(embedder.batch)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => cycleToEmbed(trx, embedder, row));
}

async function outdatedCycles(
  trx: Trx,
  embedder: Embedder,
  { afterAgent, afterCycle }: NonNullable<Renewal>,
): Promise<{ rows: Waiting[]; renewal: Renewal }> {
  const rows = await trx
    .selectFrom('cycle_texts')
    .select(['agent_id', 'cycle', 'text'])
    .where('embedding_model', '<>', embedder.name)
    .where((eb) => eb(eb.refTuple('agent_id', 'cycle'), '>', eb.tuple(afterAgent, afterCycle)))
    .orderBy('agent_id')
    .orderBy('cycle')
    .limit(embedder.batch)
    .forUpdate()
    .skipLocked()
    .execute();
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => cycleToEmbed(trx, embedder, row)),
    renewal: last === undefined ? undefined : { afterAgent: last.agent_id, afterCycle: last.cycle },
  };
}

function cycleToEmbed(trx: Trx, embedder: Embedder, row: { agent_id: string; cycle: number; text: string }): Waiting {
  return {
    text: row.text,
    write: (embedding) =>
      trx
        .updateTable('cycle_texts')
        .set({ embedding, embedding_model: embedder.name })
        .where('agent_id', '=', row.agent_id)
        .where('cycle', '=', row.cycle)
        .execute(),
  };
}

async function waitingMemories(trx: Trx, embedder: Embedder): Promise<Waiting[]> {
  const rows = await trx
    .selectFrom('memories')
    .select(['id', 'key', 'value'])
    .where('embedding', 'is', null)
    .orderBy('created_at')
    .limit(embedder.batch)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => memoryToEmbed(trx, embedder, row));
}

async function outdatedMemories(trx: Trx, embedder: Embedder): Promise<Waiting[]> {
  const rows = await trx
    .selectFrom('memories')
    .select(['id', 'key', 'value'])
    .where('embedding_model', '<>', embedder.name)
    .limit(embedder.batch)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => memoryToEmbed(trx, embedder, row));
}

function memoryToEmbed(trx: Trx, embedder: Embedder, row: { id: string; key: string; value: string }): Waiting {
  return {
    text: `${row.key.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()}: ${row.value}`,
    write: (embedding) =>
      trx.updateTable('memories').set({ embedding, embedding_model: embedder.name }).where('id', '=', row.id).execute(),
  };
}
