type Problem = { title?: string; detail?: string; errors?: { path?: string; message?: string }[] };

/** What the API answered instead of what was asked for, in its own words. */
export class ProblemError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ProblemError';
    this.status = status;
  }
}

export type ApiClient = {
  get<Answer>(path: string, signal?: AbortSignal): Promise<Answer>;
  post<Answer>(path: string, body: unknown, idempotencyKey: string): Promise<Answer>;
  /** An open stream of server-sent events; throws ProblemError when the API refuses it. */
  stream(path: string, lastSeq: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
};

/** Speaks to the server the page came from, unless another `origin` is given. */
export function createApiClient(key: string, onKeyRefused: () => void, origin = ''): ApiClient {
  async function call(
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    const response = await fetch(origin + path, { ...init, headers, cache: 'no-store' });
    if (response.ok) return response;
    if (response.status === 401) onKeyRefused();
    throw new ProblemError(response.status, await explain(response));
  }

  return {
    async get<Answer>(path: string, signal?: AbortSignal) {
      const response = await call(path, signal ? { signal } : {});
      return (await response.json()) as Answer;
    },
    async post<Answer>(path: string, body: unknown, idempotencyKey: string) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      const response = await call(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as Answer;
    },
    async stream(path, lastSeq, signal) {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastSeq > 0) headers['last-event-id'] = String(lastSeq);
      const { body } = await call(path, { headers, signal });
      if (!body) throw new Error(`GET ${path} answered without a body`);
      return body;
    },
  };
}

/** A sentence to show a person for whatever was thrown. */
export function describeFault(fault: unknown): string {
  if (fault instanceof ProblemError) return fault.message;
  return 'The server cannot be reached. Is it running?';
}

async function explain(response: Response): Promise<string> {
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  try {
    const problem = (await response.json()) as Problem;
    const fields = (problem.errors ?? []).map(({ path, message }) => [path, message].filter(Boolean).join(': '));
    return [problem.detail ?? problem.title ?? fallback, ...fields].join(' · ');
  } catch {
    return fallback; // not JSON: a proxy in between, most likely
  }
}
