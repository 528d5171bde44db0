import { z } from 'zod';

import { activeSpace, setActiveSpace } from '../spaces/active-space.ts';
import { defineTool } from './built-in-tool.ts';

export const leaveSpace = defineTool({
  name: 'leave_space',
  description:
    'Step out of the space you are in. You remain a member and keep hearing it; send_message needs enter_space again.',
  inputSchema: z.object({}),
  usesActiveSpace: true,
  async run({ trx, agent }) {
    const left = await activeSpace(trx, agent.id);
    await setActiveSpace(trx, agent.id, null);
    return { success: true, left: left?.name ?? null };
  },
});
