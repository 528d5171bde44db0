/** Dollars per million tokens. */
export type Price = { input: number; output: number; cacheRead?: number; cacheWrite?: number };

export type ModelFacts = {
  contextWindow: number;
  price?: Price;
  /** How often a reply that hit its length limit is continued. */
  continuations: number;
};

/** Model strings, or their beginnings, and what is known of them; the longest that fits wins. */
export type FactsTable = Record<string, Partial<ModelFacts>>;

const USUAL: ModelFacts = { contextWindow: 128_000, continuations: 10 };

// List prices of November 2026 may differ: WAKEFUL_PRICES_FILE overrides any row. Cache writes cost 1.25× and reads
// 0.1× the input price at Anthropic.
const KNOWN: FactsTable = {
  'openai:gpt-5': { contextWindow: 400_000, price: { input: 1.25, output: 10, cacheRead: 0.125 } },
  'openai:gpt-5-mini': { contextWindow: 400_000, price: { input: 0.25, output: 2, cacheRead: 0.025 } },
  'openai:gpt-5-nano': { contextWindow: 400_000, price: { input: 0.05, output: 0.4, cacheRead: 0.005 } },
  'openai:gpt-4.1': { contextWindow: 1_000_000, price: { input: 2, output: 8, cacheRead: 0.5 } },
  'openai:gpt-4.1-mini': { contextWindow: 1_000_000, price: { input: 0.4, output: 1.6, cacheRead: 0.1 } },
  'anthropic:claude-opus': {
    contextWindow: 1_000_000,
    continuations: 20,
    price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  },
  'anthropic:claude-sonnet': {
    contextWindow: 200_000,
    continuations: 10,
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  },
  'anthropic:claude-haiku': {
    contextWindow: 200_000,
    continuations: 5,
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  },
  'google:gemini-2.5-pro': { contextWindow: 1_000_000, price: { input: 1.25, output: 10, cacheRead: 0.31 } },
  'google:gemini-2.5-flash': { contextWindow: 1_000_000, price: { input: 0.3, output: 2.5, cacheRead: 0.075 } },
  'rehearsal:': { contextWindow: 200_000, price: { input: 0, output: 0 } },
};

export function modelFacts(model: string, overrides: FactsTable = {}): ModelFacts {
  return { ...USUAL, ...longestMatch(model, KNOWN), ...longestMatch(model, overrides) };
}

function longestMatch(model: string, table: FactsTable): Partial<ModelFacts> {
  const name = Object.keys(table)
    .filter((prefix) => model.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length)[0];
  return name === undefined ? {} : table[name]!;
}

export type PricedTokens = {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
};

/** Unknown prices count as nothing; the usage call says which models have none. */
export function costOf(usage: PricedTokens, price: Price | undefined): number {
  if (price === undefined) return 0;
  const plain = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const perMillion =
    plain * price.input +
    usage.cacheReadTokens * (price.cacheRead ?? price.input) +
    usage.cacheWriteTokens * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output;
  return perMillion / 1_000_000;
}
