import { z } from 'zod';

import { requireActiveSpace } from '../spaces/active-space.ts';
import { latestMessages } from '../spaces/read-messages.ts';
import { defineTool } from './built-in-tool.ts';
import { glimpse } from './glimpse.ts';

export const readMessages = defineTool({
  name: 'read_messages',
  description:
    'Read earlier messages of the space you are in, oldest first. Go further back with before = the smallest seq you have seen.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(100).default(20).describe('How many messages'),
    before: z.number().int().min(1).optional().describe('Only messages with a smaller seq than this'),
  }),
  usesActiveSpace: true,
  async run({ trx, agent }, { limit, before }) {
    const space = await requireActiveSpace(trx, agent.id);
    const messages = await latestMessages(trx, { spaceId: space.id, before, limit });
    return { spaceName: space.name, messages: messages.map((message) => glimpse(message, agent.id)) };
  },
});
