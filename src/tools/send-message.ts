import { z } from 'zod';

import { wellFormed } from '../db/well-formed.ts';
import { requireActiveSpace } from '../spaces/active-space.ts';
import { postMessage } from '../spaces/post-message.ts';
import { discardDraft, endDraft } from '../stream/drafts.ts';
import { defineTool } from './built-in-tool.ts';

// The same bound that people have over HTTP.
const LONGEST_BYTES = 32_768;

export const sendMessage = (ring: (agentIds: string[]) => void) =>
  defineTool({
    name: 'send_message',
    description:
      'Say something in the space you are in. This is the only way to be heard: your own text output is seen by nobody.',
    inputSchema: z.object({
      text: z
        .string()
        .min(1)
        .refine((text) => text.trim() !== '', 'an empty message cannot be sent')
        .refine(
          (text) => Buffer.byteLength(text) <= LONGEST_BYTES,
          `a message has at most ${LONGEST_BYTES} bytes; send it in parts`,
        )
        .describe('What you say'),
    }),
    usesActiveSpace: true,
    async run({ trx, orgId, agent, runId, draft, afterCommit }, { text }) {
      const space = await requireActiveSpace(trx, agent.id);
      const inPlace = draft?.spaceId === space.id ? draft : undefined;
      const { message, agentIds } = await postMessage(trx, {
        orgId,
        spaceId: space.id,
        sender: { ...agent, kind: 'agent' },
        text: wellFormed(text),
        runId,
        ...(inPlace !== undefined && { draftId: inPlace.id }),
      });
      if (inPlace !== undefined) await endDraft(trx, inPlace.id);
      else if (draft !== undefined) await discardDraft(trx, orgId, draft);
      afterCommit(() => ring(agentIds));
      return { success: true, messageId: message.id, status: 'delivered' };
    },
  });
