import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { violationsOn } from './accessibility.ts';
import { openPage } from './browser.ts';
import { openStack } from './console-stack.ts';

let stack: Awaited<ReturnType<typeof openStack>>;
let browser: Browser;
let url = '';
let key = '';

beforeAll(async () => {
  stack = await openStack(['--tour', '--speed', '60']);
  ({ browser, url, key } = stack);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
});

/** A visitor with a key, on the page "Operations". */
async function visit(given = key) {
  const opened = await openPage(browser);
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await opened.page.goto(`${url}/app#key=${given}`);
  await opened.page
    .getByRole('link', { name: /Rusty Robots|Create a list/ })
    .first()
    .waitFor();
  return opened;
}

async function makeKey(scopes: readonly string[]): Promise<z.output<typeof Issued>> {
  const made = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { 'X-API-Key': key },
    body: JSON.stringify({ name: `key for ${scopes.join(' and ')}`, scopes }),
  });
  return Issued.parse(await made.json());
}
const Issued = z.object({ id: z.string(), key: z.string() });

const opens = async (given: string) =>
  (await fetch(`${url}/v1/key`, { headers: { 'X-API-Key': given } })).status;

it('a key is created, shown once and copied, and works', async () => {
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();

  await page.getByLabel('Purpose of the key').fill('<b>the wall</b>');
  await page.getByLabel(/^view:/).check();
  await page.getByLabel('Expires').selectOption({ label: 'in 30 days' });
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = await page.getByLabel('Key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('The key was copied.').waitFor();
  const violations = await violationsOn(page);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: '<b>the wall</b>' })
    .getByText(/expires/)
    .waitFor();

  expect(copied).toBe(shown);
  expect(await opens(shown)).toBe(200);
  expect(await page.content()).not.toContain(shown);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a key is revoked only after a confirmation', async () => {
  const made = await makeKey(['read']);
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem').filter({ hasText: made.id });

  await card.getByRole('button', { name: 'Revoke' }).click();
  await card.getByRole('button', { name: 'Cancel' }).click();
  const kept = await opens(made.key);
  await card.getByRole('button', { name: 'Revoke' }).click();
  await card.getByRole('button', { name: 'Revoke key' }).click();
  await card.getByText('Revoked', { exact: true }).waitFor();

  expect(kept).toBe(200);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the successor of a key is created, and the old key ends later', async () => {
  const made = await makeKey(['read', 'write']);
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem').filter({ hasText: made.id });

  await card.getByRole('button', { name: 'Rotate' }).click();
  await card.getByRole('button', { name: 'Rotate key' }).click();
  const next = await page.getByLabel('Key', { exact: true }).inputValue();

  await card.getByText(/expires/).waitFor();
  expect(await opens(next)).toBe(200);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the last key that may create keys is not revoked without a second confirmation', async () => {
  const { page, context } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'you are signed in with this key' });

  await card.getByRole('button', { name: 'Revoke' }).click();
  await card.getByRole('button', { name: 'Revoke key' }).click();

  await card.getByText(/This is the last key that can create keys/).waitFor();
  await card.getByRole('button', { name: 'Revoke the last admin key' }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  expect(await opens(key)).toBe(200);
  await context.close();
});

it('operators see the state of the stack', async () => {
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();

  await page.getByText('Ticks are on time').waitFor();
  await page
    .getByRole('row', { name: /contracts/ })
    .first()
    .waitFor();
  await page
    .getByRole('meter', { name: /Today, units/ })
    .first()
    .waitFor();
  await page
    .getByRole('region', { name: 'Cost this month' })
    .getByRole('meter', { name: /units/ })
    .first()
    .waitFor();
  await page.getByRole('region', { name: 'Tenants' }).getByRole('row', { name: /local/ }).waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it.each([
  { scopes: ['read'], shows: ['Usage of local'], hides: ['Keys of local', 'Stack'] },
  { scopes: ['admin'], shows: ['Usage of local', 'Keys of local'], hides: ['Stack'] },
])('a key with $scopes sees only the permitted sections', async ({ scopes, shows, hides }) => {
  const { page, context, troubles } = await visit((await makeKey(scopes)).key);
  await page.getByRole('link', { name: 'Operations' }).click();

  for (const name of shows) await page.getByRole('heading', { name }).waitFor();

  for (const name of hides) {
    expect(await page.getByRole('heading', { name, exact: true }).count()).toBe(0);
  }
  expect(troubles).toEqual([]);
  await context.close();
});

it('the page "Operations" is hidden in a session whose key may only view', async () => {
  const { page, context, troubles } = await visit((await makeKey(['view'])).key);
  await page.waitForLoadState('networkidle');

  expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});
