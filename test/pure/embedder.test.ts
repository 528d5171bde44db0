import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { readConfig } from '../../src/config.ts';
import { embedTexts } from '../../src/recall/embed-texts.ts';
import { createEmbedder, type Embedder } from '../../src/recall/embedder.ts';
import { sentenceModelIsInstalled } from '../../src/recall/sentence-embedder.ts';

const configured = (environment: Record<string, string>): Embedder => {
  const embedder = createEmbedder(readConfig(environment, '/'));
  onTestFinished(() => embedder.close());
  return embedder;
};
const forever = new AbortController().signal;

async function likeness(embedder: Embedder, one: string, other: string): Promise<number> {
  const [mine = [], theirs = []] = await embedTexts(embedder, [one, other], forever);
  return mine.reduce((sum, number, index) => sum + number * theirs[index]!, 0);
}

describe('without a provider', () => {
  test.runIf(sentenceModelIsInstalled())(
    'sentences that mean the same are nearer than others, and nothing is fetched',
    { timeout: 30_000 },
    async () => {
      const embedder = configured({});
      expect(embedder.name).toBe('local:sentences');
      const near = await likeness(embedder, 'The heating has broken down', 'the boiler is out of order');
      const far = await likeness(embedder, 'The heating has broken down', 'we sold four red bicycles');
      expect(near).toBeGreaterThan(far + 0.1);
    },
  );

  test('letters know a word again in another form or with a slip', async () => {
    const embedder = configured({ WAKEFUL_EMBEDDING_MODEL: 'local:letters' });
    const near = await likeness(embedder, 'Heizungsrechnung', 'die Heizungs-Rechnungen');
    const slip = await likeness(embedder, 'accommodation', 'acommodation');
    const far = await likeness(embedder, 'Heizungsrechnung', 'accommodation');
    expect(near).toBeGreaterThan(far + 0.3);
    expect(slip).toBeGreaterThan(far + 0.3);
    expect(await embedTexts(embedder, ['', '😀 !!'], forever)).toEqual([[], expect.any(Array)]);
  });
});

describe('with a provider', () => {
  test('vectors come from its embeddings call and have length one', async () => {
    const asked: unknown[] = [];
    const url = await serve((body) => {
      asked.push(body);
      return { status: 200, answer: answerFor(body) };
    });
    const embedder = configured({ WAKEFUL_EMBEDDING_MODEL: 'compatible:tiny', WAKEFUL_COMPATIBLE_URL: url });
    expect(embedder.name).toBe('compatible:tiny');
    expect(await embedTexts(embedder, ['one', 'two'], forever)).toEqual([
      [0.6, 0.8],
      [0.6, 0.8],
    ]);
    expect(asked).toMatchObject([{ model: 'tiny', input: ['one', 'two'] }]);
  });

  test('a text that it refuses gets no vector, and the others get theirs', async () => {
    const url = await serve((body) =>
      body.input.includes('bad')
        ? { status: 400, answer: { error: { message: 'too long', type: 'invalid', code: null, param: null } } }
        : { status: 200, answer: answerFor(body) },
    );
    const embedder = configured({ WAKEFUL_EMBEDDING_MODEL: 'compatible:tiny', WAKEFUL_COMPATIBLE_URL: url });
    expect(await embedTexts(embedder, ['good', 'bad'], forever)).toEqual([[0.6, 0.8], []]);
  });

  test('an outage and a missing key are faults to try again after, not refusals', async () => {
    const url = await serve(() => ({ status: 503, answer: {} }));
    const down = configured({ WAKEFUL_EMBEDDING_MODEL: 'compatible:tiny', WAKEFUL_COMPATIBLE_URL: url });
    await expect(embedTexts(down, ['good'], forever)).rejects.toThrow('Service Unavailable');
    const keyless = configured({ WAKEFUL_EMBEDDING_MODEL: 'openai:text-embedding-3-small' });
    await expect(embedTexts(keyless, ['good'], forever)).rejects.toThrow('set OPENAI_API_KEY');
  });
});

type Body = { model: string; input: string[] };

function answerFor({ input }: Body): object {
  const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [3, 4] }));
  return { object: 'list', model: 'tiny', data, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

/** An embeddings endpoint on this machine. */
async function serve(handle: (body: Body) => { status: number; answer: object }): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, answer } = handle(JSON.parse(Buffer.concat(chunks).toString()) as Body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
