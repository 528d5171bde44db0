import { useState } from 'react';
import { AgentPanel } from './agent-panel.tsx';
import type { ApiClient } from './api-client.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Members } from './members.tsx';
import { StatusLine } from './status-line.tsx';
import { useSpace } from './use-space.ts';
import type { SpaceSummary } from './wire.ts';

type Props = { api: ApiClient; summary: SpaceSummary; text: string; onText: (text: string) => void };

export function Room({ api, summary, text, onText }: Props) {
  const live = useSpace(api, summary.id);
  const [openAgentId, setOpenAgentId] = useState<string>();
  const members = live.space?.members ?? [];
  const openAgent = members.find((member) => member.id === openAgentId);

  const nameOf = (entityId: string): string =>
    members.find((member) => member.id === entityId)?.name ??
    live.view.messages.findLast((message) => message.senderId === entityId)?.senderName ??
    'An agent';

  const closePanel = (): void => {
    setOpenAgentId(undefined);
    document.getElementById(`member-${openAgentId}`)?.focus(); // back to where the panel was opened from
  };

  return (
    <>
      <main className="room">
        <header className="room-head">
          <h1>{live.space?.name ?? summary.name}</h1>
          <Members
            members={members}
            agents={live.view.agents}
            openAgentId={openAgentId}
            onAgent={(agentId) => setOpenAgentId(agentId === openAgentId ? undefined : agentId)}
          />
        </header>
        <Conversation view={live.view} loaded={live.loaded} nameOf={nameOf} onEarlier={live.loadEarlier} />
        <StatusLine live={live} nameOf={nameOf} />
        <Composer
          api={api}
          spaceId={summary.id}
          members={live.space?.members}
          text={text}
          onText={onText}
          onSent={live.add}
        />
      </main>
      {openAgent && (
        <AgentPanel
          key={openAgent.id}
          api={api}
          agent={openAgent}
          state={live.view.agents[openAgent.id]}
          onClose={closePanel}
        />
      )}
    </>
  );
}
