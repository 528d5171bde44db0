import { z } from 'zod';

import { forkAgent } from '../../agents/fork-agent.ts';
import { nameField } from '../fields.ts';
import { writeRoute } from '../route.ts';
import { agentAnswer } from './agent-answer.ts';

export const forkRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/agents/:agentId/forks',
    tag: 'Agents',
    summary: 'Fork an agent',
    description:
      'Makes a new agent with this one’s configuration and its consciousness, memories and goals as they stood after cycle `atCycle`, or as they stand now. The two share nothing afterwards. The new agent is a member of no space yet and has no plans: what is due is done once, by the first one.',
    access: 'admin',
    status: 201,
    body: z.strictObject({ name: nameField, atCycle: z.number().int().min(0).max(2_147_483_647).optional() }),
    example: { name: 'Ada before the merger', atCycle: 0 },
    answer: agentAnswer,
    handle: ({ trx, caller, params, body }) => forkAgent(trx, caller.orgId, params.agentId, body),
  }),
];
