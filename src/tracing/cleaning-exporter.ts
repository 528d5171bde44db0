import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

// The SDK is handed whole generations by our journal, so its own time to the first chunk is the time to the last.
// The step's span has the true one.
const UNTRUE = ['gen_ai.client.operation.time_to_first_chunk', 'gen_ai.client.operation.time_per_output_chunk'];

/** Takes out of every span what is not true and, unless content is wanted, the words of errors, which may quote it. */
export function cleaningExporter(exporter: SpanExporter, { content }: { content: boolean }): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(
        spans.map((span) => clean(span, content)),
        done,
      ),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function clean(span: ReadableSpan, content: boolean): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => !UNTRUE.includes(name)));
  const wordless = {
    // An error is told by its name.
    events: span.events.map(({ attributes: told = {}, ...event }) => ({
      ...event,
      attributes: { ...(told['exception.type'] !== undefined && { 'exception.type': told['exception.type'] }) },
    })),
    status: { code: span.status.code },
  };
  const changed: Partial<ReadableSpan> = { attributes, ...(!content && wordless) };
  return Object.create(span, Object.getOwnPropertyDescriptors(changed)) as ReadableSpan;
}
