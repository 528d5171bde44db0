import { z } from 'zod';

/** Has no run on purpose: a call that nobody answers ends the SDK's loop at once. */
export const skip = {
  name: 'skip',
  description:
    'Stay silent: end this cycle at once and forget it. Call it alone and first, when nothing in the inbox is for you or you have nothing useful to add.',
  inputSchema: z.object({
    reason: z.string().optional().describe('For the internal log only, never shown to anyone'),
  }),
};
