import type { CompactInput, CompactOutcome } from '../workflows/contract.ts';
import { loadAgent } from '../src/agents/load-agent.ts';
import { compactAgent } from '../src/consciousness/compact-agent.ts';
import type { Runtime } from '../src/runtime.ts';
import { toFailure } from './failures.ts';

/** Old cycles become their own last words; nothing is deleted. */
export function compact(runtime: Runtime) {
  return async ({ agentId }: CompactInput): Promise<CompactOutcome> => {
    try {
      const agent = await loadAgent(runtime.db, agentId);
      if (agent === undefined) return { cycle: 0, beforeTokens: 0, afterTokens: 0, cyclesInFull: 0 };
      const figures = await compactAgent(runtime.db, agent);
      runtime.log.info({ agentId, ...figures }, `${agent.name} compacted`);
      return figures;
    } catch (error) {
      throw toFailure(error);
    }
  };
}
