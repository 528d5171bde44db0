import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';

import type { FactsTable } from './models/model-facts.ts';

// Long enough that nobody protects an open port with "test".
const SHORTEST_KEY = 16;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const port = (usual: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'is not a port number; use a whole number from 0 to 65535')
    .transform(Number)
    .refine((value) => value <= 65_535, 'is not a port number; use a whole number from 0 to 65535')
    .default(usual);

const yesOrNo = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['true', '1', 'yes', 'false', '0', 'no'], { error: 'is not yes or no; use true or false' }))
  .transform((value) => ['true', '1', 'yes'].includes(value));

const url = (protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `is not a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

const key = z.string().min(SHORTEST_KEY, `is too short for a key; use at least ${SHORTEST_KEY} characters`);

const headers = z
  .string()
  .refine(
    (text) => text.split(',').every((pair) => /^\s*[^\s=]+\s*=/.test(pair)),
    'is not a list of headers; write name=value,name=value',
  )
  .transform((text) => Object.fromEntries(text.split(',').map(toHeader)));

// One row per variable. `.env.example` explains each of them to the user; a test keeps the two lists equal.
const variables = {
  HOST: z.string().default('127.0.0.1'),
  PORT: port(3000),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/:]+:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$/i, 'is not an address; write host:port, such as localhost:7233')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: yesOrNo.optional(),
  WAKEFUL_DATA_DIR: z.string().default('.wakeful'),
  XDG_CACHE_HOME: z.string().optional(),
  WAKEFUL_LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `is not a log level; use one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  WAKEFUL_TASK_QUEUE: z.string().default('wakeful'),
  WAKEFUL_WORKER_CONCURRENCY: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'is not a count of think cycles; use a whole number from 1 to 9999')
    .transform(Number)
    .default(100),
  WAKEFUL_API_KEY: key.optional(),
  WAKEFUL_ROOT_KEY: key.optional(),
  WAKEFUL_MODEL: z
    .string()
    .regex(/^[a-z][a-z0-9-]*:\S+$/, 'is not a model; write provider:model, such as openai:gpt-5-mini or rehearsal:demo')
    .optional(),
  WAKEFUL_EMBEDDING_MODEL: z
    .string()
    .regex(
      /^((openai|google|compatible):\S+|local:(sentences|letters)|none)$/,
      'is not an embedding model; write provider:model with openai, google or compatible, or local:sentences, local:letters or none',
    )
    .optional(),
  WAKEFUL_COMPATIBLE_URL: url(['http:', 'https:']).optional(),
  WAKEFUL_COMPATIBLE_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: url(['http:', 'https:']).optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  WAKEFUL_MODEL_RETRY_MS: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'is not a wait in milliseconds; use a whole number from 1 to 999999')
    .transform(Number)
    .default(2000),
  WAKEFUL_MODEL_IDLE_MS: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'is not a wait in milliseconds; use a whole number from 1 to 9999999')
    .transform(Number)
    .default(60_000),
  WAKEFUL_PRICES_FILE: z.string().optional(),
  WAKEFUL_PLAN_FLOOR_SECONDS: z
    .string()
    .regex(/^\d{1,4}$/, 'is not a count of seconds; use a whole number from 60 to 3600')
    .transform(Number)
    .refine((value) => value >= 60 && value <= 3_600, 'is not a count of seconds; use a whole number from 60 to 3600')
    .default(60),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:']).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  WAKEFUL_TRACE_CONTENT: yesOrNo.default(false),
  WAKEFUL_DEMO: yesOrNo.default(true),
  WAKEFUL_CRASH_POINT: z.string().optional(),
};

/** Every variable the product reads, in the order `.env.example` lists them. */
export const VARIABLE_NAMES = Object.keys(variables) as (keyof typeof variables)[];

export interface Config {
  host: string;
  port: number;
  /** Absolute. */
  dataDir: string;
  /** Absolute. Per user, so that a second clone on the machine downloads nothing again. */
  cacheDir: string;
  logLevel: (typeof LOG_LEVELS)[number];
  databaseUrl: string | undefined;
  temporal: { address: string | undefined; namespace: string; apiKey: string | undefined; tls: boolean | undefined };
  taskQueue: string;
  workerConcurrency: number;
  apiKey: string | undefined;
  rootKey: string | undefined;
  /** What the user chose; `defaultModel` says what holds when nothing was chosen. */
  model: string | undefined;
  /** What makes the vectors that recall searches by; undefined: the best that needs no network. */
  embeddingModel: string | undefined;
  compatible: { url: string | undefined; key: string | undefined };
  providerKeys: { openai: string | undefined; anthropic: string | undefined; google: string | undefined };
  openaiBaseUrl: string | undefined;
  /** The wait before a failed model call is tried again; it doubles each time. */
  modelRetryBaseMs: number;
  /** A model that sends nothing for this long has stalled; the step is tried again. */
  modelIdleMs: number;
  /** What the user's file says of models, in place of what we know of them. */
  prices: FactsTable;
  /** Recurring plans run at most this often. */
  planFloorSeconds: number;
  /** Where traces go; without it nothing is traced. `content`: prompts and messages too. */
  tracing: { endpoint: string; headers: Record<string, string>; content: boolean } | undefined;
  demo: boolean;
  /** Where a test wants this process to die. */
  crashPoint: string | undefined;
}

/** The settings are wrong; the message lists every fault, not only the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the settings from the environment and, for what it leaves open, from `.env` in the working folder. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env, folder: string = process.cwd()): Config {
  const given = withoutEmpty({ ...withoutEmpty(readDotEnv(folder)), ...withoutEmpty(environment) });
  const read = z.object(variables).safeParse(given);
  const prices = readPrices(folder, given['WAKEFUL_PRICES_FILE']);
  const faults = [...(read.error?.issues ?? []).map(toSentence), ...(typeof prices === 'string' ? [prices] : [])];
  if (!read.success || typeof prices === 'string') throw new ConfigError(describeFaults(faults));
  const values = read.data;
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: resolve(folder, values.WAKEFUL_DATA_DIR),
    cacheDir: resolve(folder, values.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'wakeful'),
    logLevel: values.WAKEFUL_LOG_LEVEL,
    databaseUrl: values.DATABASE_URL,
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: values.TEMPORAL_NAMESPACE,
      apiKey: values.TEMPORAL_API_KEY,
      tls: values.TEMPORAL_TLS,
    },
    taskQueue: values.WAKEFUL_TASK_QUEUE,
    workerConcurrency: values.WAKEFUL_WORKER_CONCURRENCY,
    apiKey: values.WAKEFUL_API_KEY,
    rootKey: values.WAKEFUL_ROOT_KEY,
    model: values.WAKEFUL_MODEL,
    embeddingModel: values.WAKEFUL_EMBEDDING_MODEL,
    compatible: { url: values.WAKEFUL_COMPATIBLE_URL, key: values.WAKEFUL_COMPATIBLE_KEY },
    providerKeys: {
      openai: values.OPENAI_API_KEY,
      anthropic: values.ANTHROPIC_API_KEY,
      google: values.GOOGLE_GENERATIVE_AI_API_KEY,
    },
    openaiBaseUrl: values.OPENAI_BASE_URL,
    modelRetryBaseMs: values.WAKEFUL_MODEL_RETRY_MS,
    modelIdleMs: values.WAKEFUL_MODEL_IDLE_MS,
    prices,
    planFloorSeconds: values.WAKEFUL_PLAN_FLOOR_SECONDS,
    tracing:
      values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            content: values.WAKEFUL_TRACE_CONTENT,
          },
    demo: values.WAKEFUL_DEMO,
    crashPoint: values.WAKEFUL_CRASH_POINT,
  };
}

/** The model of agents that name none. Without any key it is the rehearsal, so that a first start always answers. */
export function defaultModel(config: Config): string {
  if (config.model !== undefined) return config.model;
  if (config.providerKeys.openai !== undefined) return 'openai:gpt-5-mini';
  if (config.compatible.url !== undefined) return 'compatible:default';
  return 'rehearsal:demo';
}

function readDotEnv(folder: string): NodeJS.ProcessEnv {
  const file = resolve(folder, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

// Compose files and shells pass an unset variable on as an empty one.
function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string> {
  const named = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]?.trim()));
  return Object.fromEntries(named.map(([name, value]) => [name, value.trim()]));
}

const dollars = z.number().nonnegative();
const pricesSchema = z.record(
  z.string().regex(/^[a-z][a-z0-9-]*:/, 'is not a model or the beginning of one, such as openai:gpt-5'),
  z.strictObject({
    contextWindow: z.number().int().positive().exactOptional(),
    continuations: z.number().int().nonnegative().exactOptional(),
    price: z
      .strictObject({
        input: dollars,
        output: dollars,
        cacheRead: dollars.exactOptional(),
        cacheWrite: dollars.exactOptional(),
      })
      .exactOptional(),
  }),
);

/** The prices, or a sentence about what is wrong with their file. */
function readPrices(folder: string, name: string | undefined): FactsTable | string {
  if (name === undefined) return {};
  const file = resolve(folder, name);
  const names = `WAKEFUL_PRICES_FILE names ${file}, which`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `${names} cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
  try {
    const { data, error } = pricesSchema.safeParse(JSON.parse(text));
    if (data !== undefined) return data;
    const [issue] = error.issues;
    return `${names} is wrong at ${issue!.path.join(' → ') || 'its top'}: ${innermost(issue!)}`;
  } catch (error) {
    return `${names} is not JSON: ${(error as Error).message}`;
  }
}

/** A record says of a bad key only that it is bad; the reason lies one deeper. */
function innermost(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

function toHeader(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  return [pair.slice(0, equals).trim(), decode(pair.slice(equals + 1).trim())];
}

// OpenTelemetry's own rule: values are percent-encoded. One that is not is taken as it stands.
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

// Never shows the value itself: it may be a key or hold a password.
function toSentence(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')} ${issue.message}`;
}

function describeFaults(faults: string[]): string {
  const lines = faults.map((fault) => `  ${fault}`);
  return `${lines.length === 1 ? 'One setting is' : `${lines.length} settings are`} wrong:\n${lines.join('\n')}`;
}
