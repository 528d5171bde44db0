import { afterEach, expect, test } from 'vitest';

import { loadWindow } from '../../src/consciousness/load-window.ts';
import { recall } from '../../src/recall/search.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { eventually, openWorld, type World } from '../support/world.ts';

// A provider's own count: without it the estimate would follow the script's ten tokens, and nothing were ever too long.
function counted(parts: ReturnType<typeof reply>) {
  return (prompt: unknown): ReturnType<typeof reply> => {
    const total = Math.ceil(JSON.stringify(prompt).length / 2);
    const inputTokens = { total, noCache: total, cacheRead: 0, cacheWrite: 0 };
    return parts.map((part) => (part.type === 'finish' ? { ...part, usage: { ...part.usage, inputTokens } } : part));
  };
}

let world: World;
afterEach(() => world.close());

test('what has faded from the window is still found, with its cycle, by the recall tool', async () => {
  const spoken = 'The harbour code is 4471. '.concat('And so on and so forth. '.repeat(400));
  let seen = '';
  const model = scriptedModel(
    counted(reply({ text: 'Ana told me the harbour code.' })),
    counted(reply({ text: 'Small talk.' })),
    counted(reply({ text: 'Small talk.' })),
    counted(reply({ call: 'recall', input: { query: 'harbour code' }, id: 'search' })),
    counted(reply({ call: 'recall', input: { cycle: 1 }, id: 'read' })),
    (prompt) => {
      seen = JSON.stringify(prompt);
      return reply({ text: 'I know it again.' });
    },
  );
  world = await openWorld({ models: scriptedModels({ 'test:default': model }) });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada', { settings: { maxConsciousnessTokens: 2_000, minRecentCycles: 1 } });
  const lobby = await world.space('Lobby', [ana, ada]);
  const { db, embedder } = world.runtime;
  const cycles = async (): Promise<number> => (await loadWindow(db, ada.id)).cycleCount;

  for (const [index, text] of [spoken, 'Nice day. '.repeat(900), 'Nice evening. '.repeat(700)].entries()) {
    await world.say(ana, lobby, text);
    await eventually(`cycle ${index + 1} is lived`, 15_000, async () => (await cycles()) === index + 1);
  }
  await eventually('a compaction took the first cycle out of the window', 15_000, async () => {
    const { messages } = await loadWindow(db, ada.id);
    return !JSON.stringify(messages).includes('4471');
  });
  const scope = { orgId: world.orgId, agentId: ada.id };
  expect(await recall(db, embedder, { ...scope, query: 'harbour code', limit: 1 })).toMatchObject([
    { cycle: 1, summary: 'Ana told me the harbour code.', snippet: expect.stringContaining('4471') },
  ]);

  await world.say(ana, lobby, 'Which code was it?');
  await eventually('the agent has looked it up', 15_000, async () => (await cycles()) === 4);
  expect(seen).toContain('The harbour code is 4471');
  expect(seen).toContain('Ana in Lobby: The harbour code');
});
