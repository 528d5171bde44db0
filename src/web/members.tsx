import { Avatar } from './avatar.tsx';
import type { SpaceView } from './space-view.ts';
import type { Member } from './wire.ts';

type Props = {
  members: Member[];
  agents: SpaceView['agents'];
  openAgentId: string | undefined;
  onAgent: (agentId: string) => void;
};

export function Members({ members, agents, openAgentId, onAgent }: Props) {
  return (
    <ul className="members" aria-label="Members">
      {members.map((member) => (
        <li key={member.id}>
          {member.kind === 'human' ? (
            <span className="member">
              <Avatar {...member} />
              {member.name}
            </span>
          ) : (
            <button
              type="button"
              id={`member-${member.id}`}
              className="member"
              aria-expanded={member.id === openAgentId}
              title={`${member.name}, agent, ${agents[member.id]?.status ?? 'asleep'}`}
              onClick={() => onAgent(member.id)}
            >
              <Avatar {...member} />
              {member.name}
              <span className={`dot ${agents[member.id]?.status ?? 'asleep'}`} aria-hidden="true" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
