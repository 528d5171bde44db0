import type { AgentSettings } from '../agents/settings.ts';

type Reasoning = 'none' | 'low' | 'medium' | 'high' | 'max';
type Options = Record<string, Record<string, string | number | { [key: string]: string | number }>>;

export type ReasoningOptions = { reasoning?: Reasoning; providerOptions?: Options };

/** An agent's effort and thinking as the AI SDK and its providers understand them. */
export function reasoningOptions(
  model: string,
  settings: Pick<AgentSettings, 'effort' | 'thinking'>,
  given: { effort?: unknown; thinking?: unknown },
): ReasoningOptions {
  const provider = model.split(':')[0];
  if (provider === 'rehearsal') return {};
  // Unknown servers get the parameter as it is and may refuse it, so only when the owner asked for it.
  if (provider === 'compatible' && given.effort === undefined && given.thinking === undefined) return {};
  const { thinking, effort } = settings;
  if (thinking === 'off') return { reasoning: 'none' };
  if (thinking === 'adaptive') return { reasoning: effort };
  const { budgetTokens } = thinking;
  if (provider === 'anthropic')
    return { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } } };
  if (provider === 'google')
    return { providerOptions: { google: { thinkingConfig: { thinkingBudget: budgetTokens } } } };
  return { reasoning: effort };
}
