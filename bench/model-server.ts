import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ChatMessage = { role: string; content?: string | null };
export type ChatRequest = { messages: ChatMessage[]; tools?: object[] };
export type ChatReply = { text?: string; calls?: { name: string; input: object }[] };

export type ModelServer = {
  /** For WAKEFUL_COMPATIBLE_URL. */
  url: string;
  requests: ChatRequest[];
  close(): Promise<void>;
};

/** A chat-completions server whose replies follow from the request alone; it keeps what it was sent. */
export async function startModelServer(script: (request: ChatRequest) => ChatReply): Promise<ModelServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const body = JSON.parse(text) as ChatRequest;
      requests.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of chunksOf(script(body), { turn: requests.length, promptBytes: text.length })) {
        response.write(`data: ${JSON.stringify({ id: 'scripted', created: 0, model: 'scripted', ...chunk })}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function chunksOf({ text = '', calls = [] }: ChatReply, { turn, promptBytes }: { turn: number; promptBytes: number }) {
  const tool_calls = calls.map(({ name, input }, index) => ({
    index,
    id: `call-${turn}-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const delta = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) };
  const finish = { index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' };
  const [prompt_tokens, completion_tokens] = [Math.ceil(promptBytes / 4), 60];
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  return [{ choices: [{ index: 0, delta, finish_reason: null }] }, { choices: [finish] }, { choices: [], usage }];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}
