import type { ConsoleConfig } from './wire.ts';

/** The page of the agent's workflow in the Temporal Web UI, when the server says where that is. */
export function temporalLink(config: ConsoleConfig | undefined, agentId: string): string | undefined {
  const base = config?.temporalUiUrl;
  // Only the web: a javascript: address must never become a link.
  if (!base || !/^https?:\/\//.test(base)) return undefined;
  const namespace = encodeURIComponent(config.namespace ?? 'default');
  return `${base.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(`agent:${agentId}`)}`;
}
