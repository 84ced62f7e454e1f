import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '#infra/openapi/document.ts';
import { violationsOn } from './accessibility.ts';
import { openPage } from './browser.ts';
import { openStack } from './console-stack.ts';

let stack: Awaited<ReturnType<typeof openStack>>;
let browser: Browser;
let url = '';

beforeAll(async () => {
  stack = await openStack(['--speed', '1']);
  ({ browser, url } = stack);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
});

async function openDocs(screen: Parameters<typeof openPage>[1], hash = '') {
  const opened = await openPage(browser, screen);
  await opened.page.goto(`${url}/v1/docs${hash}`);
  await opened.page.getByText(`${Object.keys(OPERATIONS).length} operations`).waitFor();
  return opened;
}

/** The operations on the page, such as `GET /v1/key`. */
const shownOn = async (page: Page) =>
  (await page.locator('.opblock-summary').allInnerTexts()).map((text) =>
    text.replaceAll('\u200b', '').split('\n').slice(0, 2).join(' '),
  );

it('the filter of the documentation finds operations by method, path and name, and counts them', async () => {
  const { page, context, troubles } = await openDocs({});
  const field = page.getByRole('searchbox', { name: 'Filter operations' });
  const all = Object.keys(OPERATIONS).length;

  await field.fill('POST sign-ins');
  await page.getByText(`2 of ${all} operations`).waitFor();
  const byPath = await shownOn(page);
  await field.fill('revokekey');
  await page.getByText(`1 of ${all} operations`).waitFor();
  const byName = await shownOn(page);
  await field.fill('nothing such');
  await page.getByText(`0 of ${all} operations`).waitFor();
  const ofNone = await shownOn(page);
  const claims = await page.getByText('No operations defined').isVisible();
  await field.fill('');
  await page.getByText(`${all} operations`, { exact: true }).waitFor();
  const guide = page.getByRole('heading', { name: 'First steps' });
  await guide.waitFor();

  expect(byPath).toEqual(['POST /v1/sign-ins', 'POST /v1/sign-ins/redeem']);
  expect(byName).toEqual(['DELETE /v1/keys/{key}']);
  expect([ofNone, claims]).toEqual([[], false]);
  expect(troubles).toEqual([]);
  await context.close();
});

describe('an open operation', () => {
  let opened: Awaited<ReturnType<typeof openDocs>>;
  beforeAll(async () => {
    opened = await openDocs({}, '#/Watchlists/createWatchlist');
    await opened.page.getByRole('button', { name: 'Try it out' }).click();
    await opened.page.getByRole('button', { name: 'Execute' }).waitFor();
  });
  afterAll(async () => {
    await opened?.context.close();
  });

  it.each([
    { theme: 'light', ground: 'rgb(255, 255, 255)' },
    { theme: 'dark', ground: 'rgb(28, 32, 34)' },
  ] as const)(
    'the documentation has readable colours in the $theme theme of the device',
    async ({ theme, ground }) => {
      const { page, troubles } = opened;
      await page.emulateMedia({ colorScheme: theme });

      const filter = page.getByRole('search');
      const colour = () => filter.evaluate((form) => getComputedStyle(form).backgroundColor);
      await expect.poll(colour).toBe(ground);
      const violations = await violationsOn(page);
      expect(violations.filter((line) => line.startsWith('color-contrast'))).toEqual([]);
      expect(troubles).toEqual([]);
    },
  );

  it('the documentation fits a phone, even with open operations and the dialog for the key', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('Request body').waitFor();
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    const withBody = await width();

    await page.locator('.opblock-summary-control').first().click();
    await page.getByText('The maximum number of entries on a page.').waitFor();
    const withQuery = await width();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('button', { name: 'Close' }).waitFor();

    expect([withBody, withQuery, await width()]).toEqual([390, 390, 390]);
  });
});

it('the documentation links to the document for browsers without scripts', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${url}/v1/docs`);

  await page.getByRole('link', { name: 'the OpenAPI document' }).waitFor();

  expect(await page.getByRole('search').count()).toBe(0);
  await context.close();
});
