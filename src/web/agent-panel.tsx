import { useEffect, useRef, useState } from 'react';
import { describeFault } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { Avatar } from './avatar.tsx';
import { ContextBar } from './context-bar.tsx';
import type { AgentState } from './space-view.ts';
import { temporalLink } from './temporal-link.ts';
import type { Agent, ConsoleConfig, Member, Page, Run } from './wire.ts';
import { writeDuration, writeMoment } from './write-time.ts';

type Props = { api: ApiClient; agent: Member; state: AgentState | undefined; onClose: () => void };

export function AgentPanel({ api, agent, state, onClose }: Props) {
  const [detail, setDetail] = useState<Agent>();
  const [runs, setRuns] = useState<Run[]>();
  const [config, setConfig] = useState<ConsoleConfig>();
  const [fault, setFault] = useState<string>();
  const panel = useRef<HTMLElement>(null);
  const status = state?.status ?? detail?.status ?? 'asleep';
  const link = temporalLink(config, agent.id);

  useEffect(() => panel.current?.focus(), []);

  useEffect(() => {
    const leaving = new AbortController();
    // A server without this address simply has no Temporal page to offer.
    api.get<ConsoleConfig>('/v1/console-config', leaving.signal).then(setConfig, () => undefined);
    return () => leaving.abort();
  }, [api]);

  // A new status means that a run began or ended: read the list again.
  useEffect(() => {
    const leaving = new AbortController();
    const path = `/v1/agents/${encodeURIComponent(agent.id)}`;
    const load = async (): Promise<void> => {
      try {
        setDetail(await api.get<Agent>(path, leaving.signal));
        setRuns((await api.get<Page<Run>>(`${path}/runs?limit=10`, leaving.signal)).items);
        setFault(undefined);
      } catch (problem) {
        if (!leaving.signal.aborted) setFault(describeFault(problem));
      }
    };
    void load();
    return () => leaving.abort();
  }, [api, agent.id, state?.status]);

  return (
    <aside
      className="panel"
      ref={panel}
      tabIndex={-1}
      aria-label={`About ${agent.name}`}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <Avatar {...agent} />
        <h2>{agent.name}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <dl>
        <dt>Status</dt>
        <dd>
          <span className={`dot ${status}`} aria-hidden="true" /> {status}
        </dd>
        {detail?.model && (
          <>
            <dt>Model</dt>
            <dd>
              <code>{detail.model}</code>
            </dd>
          </>
        )}
        <ContextBar runs={runs ?? []} />
      </dl>
      {link && (
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            Its life in Temporal ↗
          </a>
        </p>
      )}
      <h3>Last runs</h3>
      {fault && <p className="fault">{fault}</p>}
      {runs?.length === 0 && <p className="soft">It has not thought yet.</p>}
      <ol className="runs">
        {runs?.map((run) => (
          <RunLine key={run.id} run={run} />
        ))}
      </ol>
    </aside>
  );
}

function RunLine({ run }: { run: Run }) {
  return (
    <li>
      <span>
        {typeof run.cycle === 'number' ? `Cycle ${run.cycle}` : 'Run'}
        {run.status && <span className={`tag ${run.status}`}>{run.status}</span>}
      </span>
      {run.startedAt && (
        <span className="soft small">
          <time dateTime={run.startedAt}>{writeMoment(run.startedAt)}</time>
          {run.endedAt && ` · ${writeDuration(run.startedAt, run.endedAt)}`}
        </span>
      )}
      {typeof run.error === 'string' && <span className="fault small">{run.error}</span>}
    </li>
  );
}
