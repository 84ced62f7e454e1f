import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from './browser.ts';
import { openLivedStack } from './lived-stack.ts';

/**
 * `npm run screenshots` takes pictures of each page in both themes, on a desktop and on a phone, of
 * a stack that has simulated six hours. The pictures are in `.cache/screenshots`.
 */
const APES = encodeURIComponent('eth:0x3df5befeaa137d8eaced6f3f24f068df11351857');
const FOLDER = join(import.meta.dirname, '..', '..', '..', '.cache', 'screenshots');
const HOURS = 6;

type Shown = {
  readonly name: string;
  readonly hash: string;
  readonly shows: RegExp;
  /** The actions that prepare the page for its picture. */
  readonly first?: (page: Page) => Promise<void>;
};

const PAGES: readonly Shown[] = [
  { name: 'overview', hash: '#/', shows: /checked/ },
  { name: 'collection', hash: `#/collections/${APES}`, shows: /Charts by/ },
  {
    name: 'rule',
    hash: `#/collections/${APES}/rules/demo/floor-moonlit-apes`,
    shows: /Charts by/,
  },
  { name: 'new-rule', hash: `#/collections/${APES}/rules/demo/new`, shows: /Charts by/ },
  { name: 'alerts', hash: '#/alerts', shows: /^Today$/ },
  {
    name: 'palette',
    hash: '#/alerts',
    shows: /^Today$/,
    first: async (page) =>
      await page.getByRole('button', { name: 'Search or run an action' }).click(),
  },
  {
    name: 'shortcuts',
    hash: '#/alerts',
    shows: /^Today$/,
    first: async (page) => await page.keyboard.press('?'),
  },
  { name: 'channels', hash: '#/channels', shows: /Send a test/ },
  {
    name: 'new-channel',
    hash: '#/channels',
    shows: /Send a test/,
    first: async (page) => {
      await page.getByRole('button', { name: 'Add a channel' }).click();
      await page.getByRole('radio', { name: 'Slack', exact: true }).click();
    },
  },
  { name: 'lists', hash: '#/lists', shows: /npm start/ },
  { name: 'list', hash: '#/lists/demo', shows: /created this list/ },
  { name: 'list-of-its-own', hash: '#/lists/tour', shows: /created this list/ },
  { name: 'operations', hash: '#/operations', shows: /you are signed in with this key/ },
];
const SCREENS = [
  { screen: 'desk', width: 1440, height: 900 },
  { screen: 'phone', width: 390, height: 844 },
];

mkdirSync(FOLDER, { recursive: true });
await using stack = await openLivedStack(HOURS * 60, 1200);
const { url, apiKey } = stack;
const browser = await openBrowser();
for (const theme of ['light', 'dark'] as const) {
  for (const { screen, width, height } of SCREENS) {
    const { page, context } = await openPage(browser, { theme, width, height });
    for (const { name, hash, shows, first } of PAGES) {
      // Loads a new document: a change of the hash alone would leave the previous dialog open.
      await page.goto('about:blank');
      await page.goto(`${url}/app#key=${apiKey}`);
      await page.goto(`${url}/app${hash}`);
      await page.getByText(shows).first().waitFor();
      await first?.(page);
      // The chart needs some frames to draw.
      await wait(1500);
      const path = join(FOLDER, `${name}-${screen}-${theme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    await context.close();
  }
}
await browser.close();
process.stdout.write(`${FOLDER}\n`);
