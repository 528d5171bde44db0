import type { Runtime } from '../src/runtime.ts';
import { compact } from './compact.ts';
import { firePlan } from './fire-plan.ts';
import { settle } from './settle.ts';
import { think } from './think.ts';

export type Activities = ReturnType<typeof createActivities>;

/** What agents can do, over what the process has opened. */
export function createActivities(runtime: Runtime) {
  return {
    think: think(runtime),
    compact: compact(runtime),
    settle: settle(runtime),
    firePlan: firePlan(runtime),
  };
}
