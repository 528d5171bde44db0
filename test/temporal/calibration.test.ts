import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { getEncoding } from 'js-tiktoken';
import { afterEach, expect, test } from 'vitest';

import { reply, scriptedModel, scriptedModels, streamOf } from '../support/scripted-model.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const tokenizer = getEncoding('o200k_base');

/** As a provider counts: the words of the prompt and the tools, not the quotes and braces of our JSON. */
function countTokens({ prompt, tools }: LanguageModelV4CallOptions): number {
  const texts: string[] = [];
  JSON.stringify([prompt, tools], (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return tokenizer.encode(texts.join('\n')).length;
}

test.each([
  ['English', 'The committee will meet on Thursday to decide whether the bridge can carry another lane of traffic. '],
  ['Japanese', '委員会は木曜日に会合を開き、橋がもう一車線の交通に耐えられるかどうかを決定します。'],
])(
  'after five cycles the estimate is within 10 %% of the provider’s own count: %s (D11)',
  async (_language, sentence) => {
    const model = scriptedModel();
    model.doStream = (options) => {
      const total = countTokens(options);
      const usage = {
        inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 20, text: 20, reasoning: 0 },
      };
      const parts = reply({ text: sentence.repeat(3) }).map((part) =>
        part.type === 'finish' ? { ...part, usage } : part,
      );
      return Promise.resolve({ stream: streamOf(parts) });
    };
    world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
    const { db } = world.runtime;
    const ana = await world.human('Ana');
    const ada = await world.agent('Ada', { settings: { gatherMs: 0 } });
    const lobby = await world.space('Lobby', [ana, ada]);
    for (let cycle = 1; cycle <= 6; cycle += 1) {
      await world.say(ana, lobby, `${cycle}. ${sentence.repeat(5)}`);
      await world.settled(ada);
    }
    const [fifth, sixth] = await db.selectFrom('runs').select('context').orderBy('cycle').offset(4).limit(2).execute();
    const head = await db.selectFrom('consciousness').select('calibration').executeTakeFirstOrThrow();
    for (const { context } of [fifth!, sixth!]) {
      const estimate = (context!.system + context!.tools + context!.messages) * head.calibration;
      expect(Math.abs(estimate / context!.reported! - 1)).toBeLessThan(0.1);
    }
  },
);
