import { expect, test } from 'vitest';
import { banner } from '../../src/stack/banner.ts';

const facts = {
  url: 'http://127.0.0.1:3000',
  temporalUi: 'http://127.0.0.1:8233',
  dataDir: '/home/ada/wakeful/.wakeful',
  model: 'rehearsal:demo',
  apiKey: 'wk_key',
  demo: { spaceId: 'space-1', humanId: 'human-1' },
};

test('the banner names every address in one column and opens the console logged in', () => {
  const lines = banner(facts).split('\n');
  expect(lines).toContain('  Console          http://127.0.0.1:3000/#key=wk_key');
  expect(lines).toContain('  API              http://127.0.0.1:3000/v1');
  expect(lines).toContain('  Temporal Web UI  http://127.0.0.1:8233');
  expect(lines).toContain('  API key          wk_key');
});

test('the printed curl posts to the Lobby as its human', () => {
  const curl = banner(facts)
    .split('\n')
    .find((line) => line.startsWith('curl') && line.includes('/messages'));
  expect(curl).toContain('http://127.0.0.1:3000/v1/spaces/space-1/messages');
  const body: unknown = JSON.parse(/-d '(.+)'$/.exec(curl ?? '')?.[1] ?? '');
  expect(body).toEqual({ senderId: 'human-1', text: 'Hello Ada' });
});

test('without a demo, a key and a Web UI the banner names only what there is', () => {
  const text = banner({ ...facts, temporalUi: undefined, apiKey: undefined, demo: undefined });
  expect(text).not.toMatch(/curl|Temporal|API key|undefined/);
});
