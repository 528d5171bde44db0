import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Attribute = { key: string; value: Value };
type OtlpSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Attribute[];
  status: { code: number; message?: string };
};
type Body = { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };

export type Span = Omit<OtlpSpan, 'attributes'> & { attributes: Record<string, string | number | boolean | undefined> };

export type OtlpCollector = {
  url: string;
  spans(): Span[];
  /** Everything that was sent, as it was sent. */
  raw(): string;
  headers(): Record<string, unknown>[];
  close(): Promise<void>;
};

/** An OpenTelemetry collector as far as traces by OTLP over HTTP, in JSON, need one. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const known = request.method === 'POST' && request.url === '/v1/traces';
      if (known) bodies.push(body);
      headers.push(request.headers);
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    raw: () => bodies.join('\n'),
    headers: () => headers,
    spans: () => bodies.flatMap(readSpans),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readSpans(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body) as Body;
  return resourceSpans
    .flatMap((resource) => resource.scopeSpans)
    .flatMap((scope) => scope.spans)
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, valueOf(value)])),
    }));
}

function valueOf({ stringValue, intValue, doubleValue, boolValue }: Value): string | number | boolean | undefined {
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? doubleValue ?? boolValue;
}
