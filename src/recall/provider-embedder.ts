import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { APICallError, embedMany } from 'ai';

import type { Config } from '../config.ts';
import type { Embedder } from './embedder.ts';
import { EmbeddingRefused } from './embedding-refused.ts';

/** Vectors by a provider, through the AI SDK. */
export function providerEmbedder(config: Config, name: string): Embedder {
  const model = embeddingModel(config, name);
  const missing = missingSetting(config, name);
  return {
    name,
    note: `by ${name}`,
    passage: { characters: 1_500, most: 4, labels: true },
    trust: 1,
    floor: 0,
    batch: 16,
    rest: 0,
    async embed(texts, signal) {
      if (missing !== undefined) throw new Error(`set ${missing} to embed with ${name}`);
      try {
        const { embeddings } = await embedMany({
          model,
          values: texts,
          maxRetries: 0, // the embedding job tries again by itself, later
          maxParallelCalls: 1,
          ...(signal !== undefined && { abortSignal: signal }),
        });
        return embeddings;
      } catch (error) {
        const refused = APICallError.isInstance(error) && error.statusCode !== undefined && !error.isRetryable;
        throw refused && REFUSALS.has(error.statusCode!)
          ? new EmbeddingRefused(error.message, { cause: error })
          : error;
      }
    },
    close: async () => undefined,
  };
}

// About the text itself. A wrong key or model (401, 403, 404) is nobody's text's fault and is tried again.
const REFUSALS = new Set([400, 413, 422]);

function missingSetting({ providerKeys, compatible }: Config, name: string): string | undefined {
  if (name.startsWith('google:')) return providerKeys.google === undefined ? 'GOOGLE_GENERATIVE_AI_API_KEY' : undefined;
  if (name.startsWith('compatible:')) return compatible.url === undefined ? 'WAKEFUL_COMPATIBLE_URL' : undefined;
  return providerKeys.openai === undefined ? 'OPENAI_API_KEY' : undefined;
}

function embeddingModel(config: Config, name: string): EmbeddingModelV4 {
  const [provider, ...rest] = name.split(':');
  const id = rest.join(':');
  const { openai, google } = config.providerKeys;
  if (provider === 'google') return createGoogle({ apiKey: google ?? 'missing' }).embeddingModel(id);
  if (provider === 'compatible') {
    const { url, key } = config.compatible;
    const settings = { name: 'compatible', baseURL: url ?? 'http://unset.invalid' };
    return createOpenAICompatible({ ...settings, ...(key !== undefined && { apiKey: key }) }).embeddingModel(id);
  }
  const base = config.openaiBaseUrl === undefined ? {} : { baseURL: config.openaiBaseUrl };
  return createOpenAI({ apiKey: openai ?? 'missing', ...base }).embeddingModel(id);
}
