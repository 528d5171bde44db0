import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeStack } from '../support/whole-stack.ts';

const ANSWER_MS = 20_000;
const ATTACK = "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>";

let stack: Awaited<ReturnType<typeof startWholeStack>>;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const executablePath = findChromium();
  stack = await startWholeStack();
  // Chromium refuses its sandbox to root, which is who runs tests in a container.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  page = await browser.newPage();
  page.setDefaultTimeout(ANSWER_MS);
  await page.goto(`${stack.url}/#key=${encodeURIComponent(stack.apiKey)}&space=${encodeURIComponent(stack.spaceId)}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}, 90_000);

afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

test('the key leaves the address bar', () => {
  expect(page.url()).not.toContain(stack.apiKey);
});

test('a message typed into the page is answered there while the agent writes, and is still there after a reload', async () => {
  await countDrafts();
  await say('Hello Ada');
  await bubble('Hello Ada').waitFor();
  await answer('Hello Ada').waitFor();
  await page.locator('article[aria-busy]').waitFor({ state: 'detached' });
  expect(await page.evaluate('window.draftsSeen')).toBeGreaterThan(0);
  const words = await answer('Hello Ada').innerText();

  await page.reload();
  await bubble('Hello Ada').waitFor();
  await answer('Hello Ada').waitFor();
  expect(await answer('Hello Ada').innerText()).toBe(words);
  expect(await bubble('Hello Ada').count()).toBe(1);
});

test('markup in a message is shown as text and does nothing', async () => {
  const title = await page.title();
  await say(ATTACK);
  await bubble(ATTACK).first().waitFor();
  expect(await page.getByRole('log').locator('img, script').count()).toBe(0);
  await page.reload();
  await bubble(ATTACK).first().waitFor();
  expect(await page.getByRole('log').locator('img, script').count()).toBe(0);
  expect(await page.title()).toBe(title);
});

test('a message whose answer is lost on the way stays in the field, and sending it again posts it once', async () => {
  const text = 'Did this arrive?';
  await page.route('**/messages', async (route) => {
    await route.fetch(); // the server takes it
    await route.abort(); // the page never hears of it
  });
  await say(text);
  await page.getByText('Not sent').waitFor();
  await page.unroute('**/messages');
  const field = page.getByRole('textbox', { name: 'Message' });
  expect(await field.inputValue()).toBe(text);

  await field.press('Enter');
  await page.getByText('Not sent').waitFor({ state: 'detached' });
  await page.reload();
  await bubble(text).first().waitFor();
  expect(await bubble(text).count()).toBe(1);
});

async function say(text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
}

/** Messages of people with exactly these words. */
function bubble(text: string) {
  return page
    .getByRole('log')
    .locator('article.human')
    .filter({ has: page.getByText(text, { exact: true }) });
}

/** The first complete message of an agent after these words of a person. */
function answer(question: string) {
  return page.locator(`.entry:has(article.human):has-text("${question}") ~ .entry article.agent .text`).first();
}

/** Drafts may live for milliseconds only, so the page itself notes that one was there. */
async function countDrafts(): Promise<void> {
  await page.evaluate(`
    window.draftsSeen = 0;
    new MutationObserver(() => { window.draftsSeen += document.querySelectorAll('article[aria-busy]').length; })
      .observe(document.querySelector('[role=log]'), { childList: true, subtree: true });
  `);
}

function findChromium(): string {
  const places = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const found = places.find((place) => place && existsSync(place));
  if (found) return found;
  throw new Error(
    'no Chromium found: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH to its program',
  );
}
