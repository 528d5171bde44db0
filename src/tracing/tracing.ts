import type { Telemetry } from 'ai';
import type { Logger } from 'pino';

import type { Config } from '../config.ts';

export type SpanAttributes = Record<string, string | number | boolean>;

export type OpenSpan = { set(attributes: SpanAttributes): void };

/** Traces for whoever runs a collector. Work runs the same with and without them. */
export type Tracing = {
  /** Runs the work inside a span; spans opened by the work are its children. */
  span<Value>(name: string, attributes: SpanAttributes, work: (span: OpenSpan) => Promise<Value>): Promise<Value>;
  /** What the AI SDK is told for spans of its own. */
  telemetry: { isEnabled: boolean; recordInputs: boolean; recordOutputs: boolean; integrations?: Telemetry };
  /** Sends what is still held back. */
  close(): Promise<void>;
};

const NOWHERE: OpenSpan = { set: () => undefined };

export const NO_TRACING: Tracing = {
  span: (_name, _attributes, work) => work(NOWHERE),
  telemetry: { isEnabled: false, recordInputs: false, recordOutputs: false },
  close: () => Promise.resolve(),
};

/** OpenTelemetry is loaded only when traces have somewhere to go. */
export async function openTracing(config: Config, log: Logger): Promise<Tracing> {
  if (config.tracing === undefined) return NO_TRACING;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(config.tracing, log);
}
