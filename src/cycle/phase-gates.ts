export type Gate = { activeTools?: string[]; toolChoice?: 'auto' | 'required' };

const OBSERVE = ['enter_space', 'read_messages', 'get_my_runs'];
const RESPOND = ['send_message', 'enter_space', 'set_memories', 'set_goals'];
const OBSERVE_STEPS = 2;
const ACT_UNTIL = 7;

/** Look before you speak: steps 0–1 only observe, steps 2–6 may do anything, from step 7 on only answers. `skip` is always open. */
export function phaseGate(step: number, tools: string[]): Gate {
  const only = (names: string[]): string[] => tools.filter((name) => names.includes(name) || name === 'skip');
  if (step < OBSERVE_STEPS) return { activeTools: only(OBSERVE), toolChoice: 'required' };
  if (step < ACT_UNTIL) return { toolChoice: 'auto' };
  return { activeTools: only(RESPOND), toolChoice: 'auto' };
}
