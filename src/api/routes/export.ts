import { pipeline } from 'node:stream/promises';

import { exportAgent } from '../../agents/export-agent.ts';
import { rawRoute } from '../route.ts';

export const exportRoutes = [
  rawRoute({
    path: '/v1/agents/:agentId/export',
    tag: 'Agents',
    summary: 'Export all of one agent as one JSON document',
    description:
      'Its configuration, consciousness, compactions, archive, runs with steps and tool calls, skips, inbox, memories and goals with their history, and what it said. Of an agent that thinks meanwhile the newest cycle may be there in part.',
    access: 'admin',
    mediaType: 'application/json',
    async handle({ runtime, caller, params, response }) {
      const pieces = await exportAgent(runtime.db, caller.orgId, params.agentId);
      response.status(200).type('application/json');
      response.set('Content-Disposition', `attachment; filename="agent-${params.agentId}.json"`);
      try {
        await pipeline(pieces, response); // as fast as the reader takes it
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },
  }),
];

/** The reader left before the end, which is its own affair. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
