import type { Run } from './wire.ts';

/** How full the agent's context window was in its last cycle: calm below half, a warning below 80 %, red above. */
export function ContextBar({ runs }: { runs: Run[] }) {
  const share = runs.find((run) => run.context)?.context?.share;
  if (share === undefined) return null;
  const percent = Math.round(share * 100);
  return (
    <>
      <dt>Context</dt>
      <dd>
        <meter className={`context ${contextColour(share)}`} min={0} max={1} value={Math.min(1, share)}>
          {percent} %
        </meter>{' '}
        {percent} %
      </dd>
    </>
  );
}

export function contextColour(share: number): 'green' | 'yellow' | 'red' {
  if (share < 0.5) return 'green';
  return share < 0.8 ? 'yellow' : 'red';
}
