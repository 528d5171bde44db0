import { z } from 'zod';

import { AppError } from '../errors.ts';
import { setActiveSpace } from '../spaces/active-space.ts';
import { latestMessages } from '../spaces/read-messages.ts';
import { spacesOf, type SpaceWithMembers } from '../spaces/spaces-of.ts';
import { defineTool } from './built-in-tool.ts';
import { glimpse } from './glimpse.ts';

// Enough to follow a conversation that went on without the agent; read_messages shows more.
const RECENT = 10;

export const enterSpace = defineTool({
  name: 'enter_space',
  description:
    'Go into one of your spaces: from now on send_message posts there. Returns who is there and the latest messages. You stay there until you enter another space.',
  inputSchema: z.object({
    spaceId: z.string().describe('The id of one of YOUR SPACES (its exact name works too)'),
  }),
  usesActiveSpace: true,
  async run({ trx, agent }, { spaceId }) {
    const space = findSpace(await spacesOf(trx, agent.id), spaceId);
    if (space === undefined) {
      throw new AppError(
        'agent-not-member',
        `you are not a member of a space "${spaceId}"; YOUR SPACES lists those you can enter`,
      );
    }
    await setActiveSpace(trx, agent.id, space.id);
    const messages = await latestMessages(trx, { spaceId: space.id, limit: RECENT });
    return {
      success: true,
      spaceId: space.id,
      spaceName: space.name,
      members: space.members.map((member) => `${member.name} (${member.kind})`),
      recentMessages: messages.map((message) => glimpse(message, agent.id)),
    };
  },
});

/** By id, or by a name that only one of the agent's spaces has. */
export function findSpace(spaces: SpaceWithMembers[], wanted: string): SpaceWithMembers | undefined {
  const named = spaces.filter((space) => space.name === wanted);
  return spaces.find((space) => space.id === wanted) ?? (named.length === 1 ? named[0] : undefined);
}
