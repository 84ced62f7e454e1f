import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsOn } from './accessibility.ts';
import { openPage } from './browser.ts';
import { openStack } from './console-stack.ts';

const PHONE = { width: 390, height: 844, hasTouch: true };

let stack: Awaited<ReturnType<typeof openStack>>;
let browser: Browser;
let url = '';
let key = '';

// Runs in real time: at the usual speed of a local stack, a code expires after ten seconds.
beforeAll(async () => {
  stack = await openStack(['--tour', '--speed', '1']);
  ({ browser, url, key } = stack);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
});

/** A desktop that has created a link. */
async function openDesktop(theme: 'light' | 'dark' = 'light') {
  const opened = await openPage(browser, { theme });
  const { page } = opened;
  await page.goto(`${url}/app#key=${key}`);
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  return { ...opened, link: await page.getByLabel('Link', { exact: true }).inputValue() };
}

const showsOverview = async (page: Page) =>
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();

it.each(['light', 'dark'] as const)(
  'a link from a desktop signs in a phone, which gets its own key (%s)',
  async (theme) => {
    const desktop = await openDesktop(theme);
    const phone = await openPage(browser, { ...PHONE, theme });

    await phone.page.goto(desktop.link);
    await showsOverview(phone.page);

    const stored = await phone.page.evaluate(() => localStorage.getItem('floorwatch-key'));
    const answer = await fetch(`${url}/v1/key`, { headers: { 'X-API-Key': stored ?? '' } });
    expect(await answer.json()).toMatchObject({ name: /^Phone, signed in from /, tenant: 'local' });
    expect(stored).not.toBe(key);
    expect(phone.page.url()).toBe(`${url}/app#/`);
    expect(await phone.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    expect(await violationsOn(desktop.page)).toEqual([]);
    expect([...desktop.troubles, ...phone.troubles]).toEqual([]);
    await phone.page.reload();
    await showsOverview(phone.page);
    await Promise.all([desktop.context.close(), phone.context.close()]);
  },
);

it('a second phone shows that the link was used and how to get another one, and signs in with a pasted link', async () => {
  const desktop = await openDesktop();
  const [first, second] = [await openPage(browser, PHONE), await openPage(browser, PHONE)];
  await first.page.goto(desktop.link);
  await showsOverview(first.page);

  await second.page.goto(desktop.link);
  await second.page.getByText(/This link is not valid, .*Create a new one on a device/).waitFor();
  const violations = await violationsOn(second.page);
  await second.page.getByRole('button', { name: 'Close' }).click();
  await desktop.page.getByRole('button', { name: 'Create a new link' }).click();
  const field = desktop.page.getByLabel('Link', { exact: true });
  await expect.poll(() => field.inputValue()).not.toBe(desktop.link);
  await second.page.getByLabel('API key or sign-in link').fill(await field.inputValue());
  await second.page.getByRole('button', { name: 'Sign in' }).click();
  await showsOverview(second.page);

  expect(violations).toEqual([]);
  expect(await second.page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  expect(second.troubles).toEqual([expect.stringContaining('410')]);
  for (const { context } of [desktop, first, second]) await context.close();
});
