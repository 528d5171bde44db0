import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';

import { defaultModel, type Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { modelFacts, type ModelFacts } from './model-facts.ts';
import { rehearsalModel } from './rehearsal.ts';

export type Models = {
  /** The model of agents that name none. */
  default: string;
  /** What is wrong with a model string, in words; undefined when it can be used. */
  check(model: string): string | undefined;
  get(model: string): LanguageModelV4;
  facts(model: string): ModelFacts;
};

type Provider = { ready: string | undefined; model(id: string): LanguageModelV4 };

/** Every model string is `provider:model`. */
export function createModels(config: Config): Models {
  const { openai, anthropic, google } = config.providerKeys;
  const { url, key } = config.compatible;
  const missing = (present: string | undefined, variable: string): string | undefined =>
    present === undefined ? `set ${variable} to use it` : undefined;

  const openaiProvider = createOpenAI({
    apiKey: openai ?? 'missing',
    ...(config.openaiBaseUrl !== undefined && { baseURL: config.openaiBaseUrl }),
  });
  const compatible = createOpenAICompatible({
    name: 'compatible',
    baseURL: url ?? 'http://unset.invalid',
    includeUsage: true,
    ...(key !== undefined && { apiKey: key }),
  });
  const anthropicProvider = createAnthropic({ apiKey: anthropic ?? 'missing' });
  const googleProvider = createGoogle({ apiKey: google ?? 'missing' });

  const providers: Record<string, Provider> = {
    openai: { ready: missing(openai, 'OPENAI_API_KEY'), model: (id) => openaiProvider.responses(id) },
    compatible: { ready: missing(url, 'WAKEFUL_COMPATIBLE_URL'), model: (id) => compatible(id) },
    anthropic: { ready: missing(anthropic, 'ANTHROPIC_API_KEY'), model: (id) => anthropicProvider(id) },
    google: { ready: missing(google, 'GOOGLE_GENERATIVE_AI_API_KEY'), model: (id) => googleProvider(id) },
    rehearsal: { ready: undefined, model: rehearsalModel },
  };

  const find = (model: string): { provider: Provider; id: string } | string => {
    const [name = '', ...rest] = model.split(':');
    const id = rest.join(':');
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider === undefined || id === '') {
      return `"${model}" is not a model; write provider:model with one of ${Object.keys(providers).join(', ')}`;
    }
    return { provider, id };
  };

  return {
    default: defaultModel(config),
    check(model) {
      const found = find(model);
      return typeof found === 'string' ? found : undefined;
    },
    facts: (model) => modelFacts(model, config.prices),
    get(model) {
      const found = find(model);
      if (typeof found === 'string') throw new AppError('unknown-model', found);
      if (found.provider.ready !== undefined)
        throw new AppError('model-refused', `model ${model}: ${found.provider.ready}`);
      return found.provider.model(found.id);
    },
  };
}
