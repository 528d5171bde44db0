import { z } from 'zod';

import { joinAll } from '../inbox/join-run.ts';
import { inboxLine } from '../prompts/inbox-message.ts';
import { defineTool } from './built-in-tool.ts';

export const peekInbox = defineTool({
  name: 'peek_inbox',
  description: 'Take what waits in your inbox into this cycle now, in full, instead of in your next cycle.',
  inputSchema: z.object({
    limit: z.number().int().min(1).max(50).default(20).describe('How many events at the most'),
  }),
  usesActiveSpace: false,
  async run({ trx, agent, runId }, { limit }) {
    const events = await joinAll(trx, { agentId: agent.id, runId, limit });
    return { count: events.length, events: events.map(inboxLine) };
  },
});
