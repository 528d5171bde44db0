import { z } from 'zod';

const count = (least: number, most: number) => z.number().int().min(least).max(most);

const money = z.number().positive().max(1_000_000);

/** What an owner may set on an agent. `DEFAULTS` holds for whatever is left open. */
export const settingsSchema = z.strictObject({
  maxSteps: count(1, 200).optional(),
  cycleTokenBudget: count(1_000, 10_000_000).optional(),
  maxConsciousnessTokens: count(2_000, 10_000_000).optional(),
  minRecentCycles: count(0, 1_000).optional(),
  awareness: z.enum(['none', 'preview', 'urgent', 'combined']).optional(),
  phaseGates: z.boolean().optional(),
  stopWhenAllAnswered: z.boolean().optional(),
  compaction: z.enum(['self-summary', 'semantic', 'layered']).optional(),
  effort: z.enum(['low', 'medium', 'high', 'max']).optional(),
  thinking: z
    .union([z.literal('adaptive'), z.literal('off'), z.strictObject({ budgetTokens: count(1_024, 200_000) })])
    .optional(),
  continuationPrompt: z.string().min(1).max(4_000).optional(),
  maxToolResultChars: count(1_000, 1_000_000).optional(),
  gatherMs: count(0, 10_000).optional(),
  /** Who and what is urgent for this agent, beside what senders mark as urgent. */
  urgentRules: z
    .strictObject({
      senders: z.array(z.uuid()).max(100).optional(),
      words: z.array(z.string().min(1).max(100)).max(100).optional(),
    })
    .optional(),
  /** Tools whose calls are shown in the space, beside send_message. */
  visibleTools: z.array(z.string().min(1).max(64)).max(100).optional(),
  /** Spend limits in dollars, checked before every model call. */
  budget: z
    .strictObject({ cycleUsd: money.optional(), dayUsd: money.optional(), monthUsd: money.optional() })
    .optional(),
});

export type GivenSettings = z.output<typeof settingsSchema>;

// These have no default: left open, they are absent.
const OPEN = { continuationPrompt: true, urgentRules: true, budget: true } as const;

/** What `resolveSettings` gives. */
export const resolvedSettingsSchema = settingsSchema.required().partial(OPEN);

type Optional = keyof typeof OPEN;
type Defaulted = Exclude<keyof GivenSettings, Optional>;

export type AgentSettings = { [Name in Defaulted]-?: NonNullable<GivenSettings[Name]> } & Pick<GivenSettings, Optional>;

const DEFAULTS: AgentSettings = {
  maxSteps: 20,
  cycleTokenBudget: 50_000,
  maxConsciousnessTokens: 100_000,
  minRecentCycles: 10,
  awareness: 'combined',
  phaseGates: false,
  stopWhenAllAnswered: false,
  compaction: 'self-summary',
  effort: 'high',
  thinking: 'adaptive',
  maxToolResultChars: 80_000,
  gatherMs: 50,
  visibleTools: [],
};

/** Only what was given is stored, so that a better default reaches agents that never asked for another value. */
export function resolveSettings(stored: Record<string, unknown>): AgentSettings {
  return { ...DEFAULTS, ...stored };
}
