/** Places where a test may end the process as a power cut would. Nothing happens unless one was armed. */
export type CrashPoint =
  | 'api.after_insert'
  | 'relay.before_signal'
  | 'relay.after_signal'
  | 'cycle.after_claim'
  | 'llm.mid_stream'
  | 'step.before_journal'
  | 'step.after_journal'
  | 'tool.before_effect'
  | 'tool.after_effect'
  | 'step.before_end'
  | 'cycle.before_commit'
  | 'cycle.after_commit'
  | 'schedule.after_fire';

let armed: { point: string; remaining: number } | undefined;

/** `llm.mid_stream` or `tool.after_effect#3`: the third time it is passed. */
export function armCrashPoint(specification: string | undefined): void {
  if (specification === undefined) {
    armed = undefined;
    return;
  }
  const [point, count] = specification.split('#');
  armed = { point: point!, remaining: Number(count ?? 1) };
}

export function crashPoint(point: CrashPoint): void {
  if (armed?.point !== point) return;
  armed.remaining -= 1;
  if (armed.remaining === 0) process.kill(process.pid, 'SIGKILL');
}
