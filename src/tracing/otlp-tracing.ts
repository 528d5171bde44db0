import { OpenTelemetry } from '@ai-sdk/otel';
import { context, diag, DiagLogLevel, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

import type { Config } from '../config.ts';
import { errorMessage, isAppError } from '../errors.ts';
import { cleaningExporter } from './cleaning-exporter.ts';
import type { Tracing } from './tracing.ts';

const SERVICE = 'wakeful';
// A collector that is away must not hold up the end of the process.
const CLOSE_MS = 2_000;
// One line a minute says it; the exporter itself complains with every batch.
const COMPLAIN_MS = 60_000;

/** Spans by OTLP over HTTP, as JSON. The AI SDK's own spans go the same way and hang below ours. */
export function openOtlpTracing(options: NonNullable<Config['tracing']>, log: Logger): Tracing {
  const { content } = options;
  reportTrouble(log);
  // Spans find their parents through it. It is one per process; a second one is refused, which is as good.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter({ url: tracesUrl(options.endpoint), headers: options.headers });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE }),
    spanProcessors: [new BatchSpanProcessor({ exporter: cleaningExporter(exporter, { content }) })],
  });
  const tracer = provider.getTracer(SERVICE);

  return {
    telemetry: {
      isEnabled: true,
      recordInputs: content,
      recordOutputs: content,
      integrations: new OpenTelemetry({ tracer, runtimeContext: true, usage: true, agentSpanName: 'functionId' }),
    },
    span(name, attributes, work) {
      const span = tracer.startSpan(name, { attributes });
      const run = async () => {
        try {
          return await work({ set: (more) => void span.setAttributes(more) });
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: errorMessage(error) });
          span.setAttribute(
            'error.type',
            isAppError(error) ? error.code : error instanceof Error ? error.name : 'error',
          );
          throw error;
        } finally {
          span.end();
        }
      };
      return context.with(trace.setSpan(context.active(), span), run);
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}

/** The endpoint is the collector; traces have their own path below it. */
function tracesUrl(endpoint: string): string {
  return `${endpoint.replace(/\/+$/, '')}/v1/traces`;
}

function reportTrouble(log: Logger): void {
  let complainedAt = 0;
  const complain = (message: string): void => {
    if (Date.now() - complainedAt < COMPLAIN_MS) return;
    complainedAt = Date.now();
    log.warn({ error: message.slice(0, 500) }, 'traces cannot be sent; look at OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  const nothing = (): void => undefined;
  const logger = { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
