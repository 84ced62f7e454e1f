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

/** A visitor with a key, on the page of operations. */
async function visit(given = key) {
  const opened = await openPage(browser);
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await opened.page.goto(`${url}/app#key=${given}`);
  await opened.page
    .getByRole('link', { name: /Rusty Robots|Make a list/ })
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

it('makes a key that is shown once and copied, and that opens the door', async () => {
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();

  await page.getByLabel('What it is used for').fill('<b>the wall</b>');
  await page.getByLabel(/^view:/).check();
  await page.getByLabel('It works').selectOption({ label: 'for 30 days' });
  await page.getByRole('button', { name: 'Make key' }).click();
  const shown = await page.getByLabel('Key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('The key is copied.').waitFor();
  const violations = await violationsOn(page);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: '<b>the wall</b>' })
    .getByText(/ends/)
    .waitFor();

  expect(copied).toBe(shown);
  expect(await opens(shown)).toBe(200);
  expect(await page.content()).not.toContain(shown);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('revokes a key only when that is confirmed', async () => {
  const made = await makeKey(['read']);
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem').filter({ hasText: made.id });

  await card.getByRole('button', { name: 'Revoke' }).click();
  await card.getByRole('button', { name: 'Cancel' }).click();
  const kept = await opens(made.key);
  await card.getByRole('button', { name: 'Revoke' }).click();
  await card.getByRole('button', { name: 'Revoke it' }).click();
  await card.getByText('Revoked', { exact: true }).waitFor();

  expect(kept).toBe(200);
  expect(troubles).toEqual([]);
  await context.close();
});

it('makes the successor of a key, which ends later', async () => {
  const made = await makeKey(['read', 'write']);
  const { page, context, troubles } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem').filter({ hasText: made.id });

  await card.getByRole('button', { name: 'Rotate' }).click();
  await card.getByRole('button', { name: 'Make its successor' }).click();
  const next = await page.getByLabel('Key', { exact: true }).inputValue();

  await card.getByText(/ends/).waitFor();
  expect(await opens(next)).toBe(200);
  expect(troubles).toEqual([]);
  await context.close();
});

it('does not end the last key that makes keys unasked', async () => {
  const { page, context } = await visit();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'the key of this page' });

  await card.getByRole('button', { name: 'Revoke' }).click();
  await card.getByRole('button', { name: 'Revoke it' }).click();

  await card.getByText(/It is the last key that may make keys/).waitFor();
  await card.getByRole('button', { name: 'Revoke even the last one' }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  expect(await opens(key)).toBe(200);
  await context.close();
});

it('shows operators how the stack does', async () => {
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
])('shows a key with $scopes what it may see', async ({ scopes, shows, hides }) => {
  const { page, context, troubles } = await visit((await makeKey(scopes)).key);
  await page.getByRole('link', { name: 'Operations' }).click();

  for (const name of shows) await page.getByRole('heading', { name }).waitFor();

  for (const name of hides) {
    expect(await page.getByRole('heading', { name, exact: true }).count()).toBe(0);
  }
  expect(troubles).toEqual([]);
  await context.close();
});

it('is hidden from a screen on a wall', async () => {
  const { page, context, troubles } = await visit((await makeKey(['view'])).key);
  await page.waitForLoadState('networkidle');

  expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});
