import { afterAll, describe, expect, test } from 'vitest';

import { settles } from '../support/checker.ts';
import { killAllRoles, killRole, startWorkerRole } from '../support/roles.ts';
import { createRoom } from '../support/room.ts';
import { openApi, openStage } from '../support/stage.ts';
import { firings, setPlan } from '../support/plans.ts';
import { eventually } from '../support/world.ts';

afterAll(killAllRoles);

describe.concurrent('a plan', () => {
  test.for([
    { how: 'right after the firing was committed', crashPoint: 'schedule.after_fire' },
    { how: 'between the bell and its row', crashPoint: 'relay.after_signal' },
  ])('of a worker killed $how wakes its agent once, not twice', { timeout: 60_000 }, async ({ crashPoint }) => {
    const stage = await openStage(() => ({ say: [{ text: 'Called.' }] }));
    const api = await openApi(stage);
    const room = await createRoom(stage.db);
    const doomed = await startWorkerRole(stage.place, { crashPoint });
    const plan = await setPlan(api.url, room, 'call', { instruction: 'Call Ana', runAfter: '2s' });
    expect(await doomed.ends(30_000), `the worker dies at ${crashPoint}`).toBe('SIGKILL');

    const successor = await startWorkerRole(stage.place);
    await settles(stage.db, room);
    // Long enough for a second firing: the sweep looks after five seconds.
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    expect(await firings(stage.db, room)).toEqual([
      {
        payload: { plan: 'call', instruction: 'Call Ana', dueAt: plan.nextRunAt },
        status: 'done',
        run: 'committed',
        cycle: 1,
      },
    ]);
    await killRole(successor);
    await api.close();
    await stage.close();
  });

  test('that comes due while no worker runs wakes its agent when one is back', { timeout: 60_000 }, async () => {
    const stage = await openStage(() => ({ say: [{ text: 'Called.' }] }));
    const api = await openApi(stage);
    const room = await createRoom(stage.db);
    await setPlan(api.url, room, 'call', { instruction: 'Call Ana', runAfter: '1s' });
    await eventually('its time has passed', 15_000, async () => {
      const row = await stage.db.selectFrom('plans').select('status').executeTakeFirstOrThrow();
      return row.status === 'done'; // the API's sweep saw to it, and the inbox holds it
    });
    const worker = await startWorkerRole(stage.place);
    await settles(stage.db, room);
    expect(await firings(stage.db, room)).toMatchObject([{ status: 'done', run: 'committed', cycle: 1 }]);
    await killRole(worker);
    await api.close();
    await stage.close();
  });
});
