import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { reply, scriptedModel, scriptedModels, streamOf } from '../support/scripted-model.ts';
import { eventually, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

test('with semantic compaction a faded cycle about the same thing is shown again, whole and dated, and not stored twice (CN-23, D14)', async () => {
  const model = scriptedModel();
  const prompts: string[] = [];
  model.doStream = ({ prompt, tools }) => {
    prompts.push(JSON.stringify(prompt));
    const total = Math.ceil(JSON.stringify([prompt, tools]).length / 3.5);
    const usage = {
      inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 90, text: 90, reasoning: 0 },
    };
    const parts = reply({ text: `Noted. ${'Nothing else. '.repeat(40)}` });
    return Promise.resolve({
      stream: streamOf(parts.map((part) => (part.type === 'finish' ? { ...part, usage } : part))),
    });
  };
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const { db } = world.runtime;
  const ana = await world.human('Ana');
  const settings = { compaction: 'semantic', maxConsciousnessTokens: 2_000, minRecentCycles: 2, gatherMs: 0 };
  const ada = await world.agent('Ada', { settings });
  const lobby = await world.space('Lobby', [ana, ada]);
  const hear = async (text: string): Promise<void> => {
    await world.say(ana, lobby, text);
    await world.settled(ada);
  };

  await hear('The greenhouse door code is 4711, please keep it for me');
  for (let index = 0; index < 12; index += 1) await hear(`Weather report number ${index}: rain, wind and more rain`);
  await eventually('the first cycle has left the window', 5_000, async () => {
    const { messages } = await loadWindow(db, ada.id);
    return !JSON.stringify(messages).includes('4711');
  });

  await hear('What was the door code of the greenhouse?');
  const prompt = prompts.at(-1)!;
  expect(prompt).toContain('[EARLIER CYCLES THAT MAY MATTER NOW]');
  expect(prompt).toMatch(/--- cycle 1, \d{4}-\d\d-\d\dT/);
  expect(prompt).toContain('4711');
  expect(JSON.stringify((await loadWindow(db, ada.id)).messages)).not.toContain('4711');
});
