import type { Db, Trx } from '../db/open-database.ts';
import { appendEvents } from './append-events.ts';

export type Draft = { id: string; spaceId: string; attempt: number };

/** The message took the draft's place; its deltas are pruned later. */
export async function endDraft(trx: Trx, draftId: string): Promise<void> {
  await trx.updateTable('drafts').set({ ended_at: new Date() }).where('id', '=', draftId).execute();
}

/** Tells readers to forget the draft. Done twice, it is said once. */
export async function discardDraft(trx: Trx, orgId: string, draft: Draft): Promise<void> {
  const ended = await trx
    .updateTable('drafts')
    .set({ ended_at: new Date() })
    .where('id', '=', draft.id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return;
  const data = { draftId: draft.id, attempt: draft.attempt };
  await appendEvents(trx, orgId, draft.spaceId, [{ type: 'message.discarded', data }]);
}

/** What an earlier attempt of the run, or a torn stream, left half-written. */
export async function discardOpenDrafts(db: Db, run: { id: string; orgId: string }): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('drafts')
      .select(['id', 'space_id', 'attempt'])
      .where('run_id', '=', run.id)
      .where('ended_at', 'is', null)
      .orderBy('space_id')
      .orderBy('id')
      .execute();
    for (const row of rows)
      await discardDraft(trx, run.orgId, { id: row.id, spaceId: row.space_id, attempt: row.attempt });
  });
}

// A reader that was away this long gets the whole message anyway; until then it can watch the text grow.
const KEPT_MINUTES = 10;

export async function pruneDeltas(db: Db): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const rows = await trx
      .updateTable('drafts')
      .set({ pruned: true })
      .where('pruned', '=', false)
      .where('ended_at', '<', new Date(Date.now() - KEPT_MINUTES * 60_000))
      .returning('id')
      .execute();
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.id);
    await trx.deleteFrom('space_events').where('draft_id', 'in', ids).where('type', '=', 'message.delta').execute();
    return ids.length;
  });
}
