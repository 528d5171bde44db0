import type { ModelMessage } from 'ai';

import type { AgentConfig } from '../src/agents/load-agent.ts';
import { beginRun, type Beginning } from '../src/cycle/begin-run.ts';
import { spacesConcerned } from '../src/cycle/spaces-concerned.ts';
import { inboxMessage } from '../src/prompts/inbox-message.ts';
import { instructions } from '../src/prompts/instructions.ts';
import { fittingMemories } from '../src/prompts/memory-lines.ts';
import { recalledCycles } from '../src/prompts/recalled-cycles.ts';
import { relevantMemories } from '../src/prompts/relevant-memories.ts';
import { nearMemories } from '../src/recall/near-memories.ts';
import { recallForInbox } from '../src/recall/recall-for-inbox.ts';
import type { Runtime } from '../src/runtime.ts';
import { spacesOf, type SpaceWithMembers } from '../src/spaces/spaces-of.ts';
import { appendEvents } from '../src/stream/append-events.ts';
import type { Mind } from './read-mind.ts';

export type Claimed = { beginning: Beginning; spaces: SpaceWithMembers[] };

/** The events of this cycle, with everything the model will be told about them. */
export async function claim(
  runtime: Runtime,
  agent: AgentConfig,
  runId: string,
  { goals, memories, plans }: Mind,
): Promise<Claimed> {
  const { db, embedder } = runtime;
  const owner = { orgId: agent.orgId, agentId: agent.id };
  // Before the transaction: an embedding provider may take its time, and the agent's rows would be locked meanwhile.
  const semantic = agent.settings.compaction === 'semantic';
  const recalled = semantic ? recalledCycles(await recallForInbox(db, embedder, owner)) : undefined;
  const crowded = fittingMemories(memories).length < memories.total;
  const near = crowded ? await nearMemories(db, embedder, owner) : [];

  let spaces: SpaceWithMembers[] | undefined;
  const beginning = await beginRun(db, {
    agent,
    runId,
    compose: async (trx, events) => {
      spaces = await spacesOf(trx, agent.id);
      const relevant = await relevantMemories(trx, { agent, events, memories, near });
      // With the claim: a transaction of its own for this line would hold up the first words behind it.
      const data = { agentId: agent.id, status: 'thinking', runId } as const;
      for (const spaceId of spacesConcerned({ events })) {
        await appendEvents(trx, agent.orgId, spaceId, [{ type: 'agent.status', data }]);
      }
      return {
        model: agent.model ?? runtime.models.default,
        instructions: instructions({ agent, spaces, goals, memories, plans }),
        volatileMessage: asOne([recalled, relevant]),
        inboxMessage: inboxMessage(events, new Date(), plans),
      };
    },
  });
  return { beginning, spaces: spaces ?? (await spacesOf(db, agent.id)) };
}

function asOne(messages: (ModelMessage | undefined)[]): ModelMessage | undefined {
  const texts = messages.flatMap((message) => (typeof message?.content === 'string' ? [message.content] : []));
  return texts.length === 0 ? undefined : { role: 'user', content: texts.join('\n\n') };
}
