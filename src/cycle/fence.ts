import type { Trx } from '../db/open-database.ts';
import { AppError } from '../errors.ts';

/**
 * Refuses a write of an attempt that was taken over. The share lock holds until the write commits: the attempt that
 * takes over raises the fence only after it, and so sees everything that was written before.
 */
export async function holdFence(trx: Trx, run: { id: string; fence: number }): Promise<void> {
  const row = await trx
    .selectFrom('runs')
    .select(['fence', 'status'])
    .where('id', '=', run.id)
    .forShare()
    .executeTakeFirst();
  if (row?.fence !== run.fence || row.status !== 'running') {
    throw new AppError('fenced-off', `attempt ${run.fence} of run ${run.id} was taken over; its write is refused`);
  }
}
