import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { violationsOn } from './accessibility.ts';
import { CATS, type OpenConsole, openConsole } from './console-stack.ts';

/** The page of the alerts, with episodes that fire as soon as a price is there. */
let opened: OpenConsole;

beforeAll(async () => {
  opened = await openConsole();
  const fires = { when: 'above', threshold: '0.1' };
  for (const id of ['first', 'second'])
    await opened.makeRule(id, { ...fires, severity: 'critical' });
  await opened.makeRule('cats', { ...fires, on: CATS, label: '=1+1' });
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const Episodes = z.object({
  episodes: z.array(z.object({ rule: z.string(), state: z.string() })),
});

/** How the episode of a rule stands, as a program reads it. */
async function stateOf(rule: string): Promise<string | undefined> {
  const answer = await opened.ask(`/v1/episodes?watchlist=mine&rule=${rule}`);
  return Episodes.parse(await answer.json()).episodes[0]?.state;
}

const patience = { timeout: 60_000, interval: 500 };
const episodes = (page: Page) => page.getByRole('list', { name: /^Episodes/ }).locator('> li');
const episodeOf = (page: Page, label: string) => episodes(page).filter({ hasText: label });

async function visitAlerts() {
  for (const rule of ['first', 'second', 'cats']) {
    await expect.poll(() => stateOf(rule), patience).toBeDefined();
  }
  const visited = await opened.visit('#/alerts');
  await episodeOf(visited.page, 'Rule first').waitFor();
  return visited;
}

it('finds episodes by state, severity, list, collection and what a person reads in them', async () => {
  const { page, context, troubles } = await visitAlerts();

  await page.getByLabel('List').selectOption({ label: 'Mine' });
  await expect.poll(() => episodes(page).count(), patience).toBe(3);
  await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
  await expect.poll(() => episodes(page).count(), patience).toBe(2);
  await page.getByLabel('Search alerts').fill('rule SECOND');
  await expect.poll(() => episodes(page).count(), patience).toBe(1);
  await page.getByLabel('State').selectOption({ label: 'Only over' });
  await page.getByText('No episode is like that.').waitFor();
  const violations = await violationsOn(page);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('combobox', { name: 'Collection', exact: true }).selectOption(CATS);
  await episodeOf(page, '=1+1').waitFor();

  expect(violations).toEqual([]);
  expect(await page.getByLabel('Search alerts').inputValue()).toBe('');
  expect(troubles).toEqual([]);
  await context.close();
});

it('has filters in its address: a reload, a shared link and "back" show the same', async () => {
  const { page, context } = await visitAlerts();
  await page.getByLabel('List').selectOption({ label: 'Mine' });
  await page.getByRole('combobox', { name: 'Time' }).selectOption({ label: 'Last 7 days' });
  await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
  await page.getByLabel('Search alerts').fill('rule SECOND');
  await expect.poll(() => episodes(page).count(), patience).toBe(1);
  const address = page.url();

  await page.reload();
  await episodeOf(page, 'Rule second').waitFor();
  const reloaded = await episodes(page).count();
  await page.goBack();
  await expect.poll(() => episodes(page).count(), patience).toBe(3);
  const severity = await page.getByLabel('Severity').inputValue();
  const other = await opened.visit(new URL(address).hash);
  await episodeOf(other.page, 'Rule second').waitFor();

  expect(reloaded).toBe(1);
  expect(severity).toBe('');
  expect(await episodes(other.page).count()).toBe(1);
  expect(await other.page.getByLabel('Search alerts').inputValue()).toBe('rule SECOND');
  expect(await other.page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('7d');
  await other.context.close();
  await context.close();
});

it('keeps what is filtered as a file, in which no text is a formula', async () => {
  const { page, context, troubles } = await visitAlerts();
  await page.getByLabel('List').selectOption({ label: 'Mine' });
  await expect.poll(() => episodes(page).count(), patience).toBe(3);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');

  expect(download.suggestedFilename()).toBe('episodes.csv');
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(/^firedAt,/);
  expect(lines.filter((line) => line.includes(`,cats,"'=1+1",`))).toHaveLength(1);
  expect(troubles).toEqual([]);
  await context.close();
});

it('acknowledges one, and its timeline says who did, what holds it back and who got its alerts', async () => {
  const { page, context, troubles } = await visitAlerts();
  const episode = episodeOf(page, '=1+1');
  await episode.getByRole('heading').getByRole('button').click();
  await episode.getByText(/✓ *desk/).waitFor();

  await episode.getByRole('button', { name: 'Acknowledge' }).click();
  await episode.getByRole('button', { name: 'Snooze' }).click();
  await episode.getByRole('button', { name: 'until recovered' }).click();
  await page.getByText('Snoozed until recovered.').first().waitFor();
  const timeline = episode.getByRole('list', { name: 'Timeline' });
  await timeline
    .getByRole('listitem')
    .filter({ hasText: /Acknowledged by npm start/ })
    .waitFor();
  await timeline
    .getByRole('listitem')
    .filter({ hasText: /Muted until recovered, .* at the latest by npm start/ })
    .waitFor();
  await timeline
    .getByRole('listitem')
    .filter({ hasText: /Fired at/ })
    .waitFor();
  const violations = await violationsOn(page);
  await episode.getByRole('button', { name: 'End snooze' }).click();

  await episode.getByRole('button', { name: 'Snooze', exact: true }).waitFor();
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('acts on several at once, and says which failed and why', async () => {
  const { page, context } = await visitAlerts();
  await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
  await page.getByLabel('Select all 2 open').check();
  // The page does not know yet that one of both is over.
  await page.route('**/v1/episodes*', (route) => route.fulfill({ status: 304 }));
  await opened.send('DELETE', '/v1/watchlists/mine/rules/second', undefined);
  await expect.poll(() => stateOf('second'), patience).toBe('over');

  await page.getByRole('button', { name: 'Acknowledge all' }).click();
  const failures = page.getByRole('alert').filter({ hasText: '1 done, 1 failed' });
  await failures.getByText(/Rule second.*its episode is over/).waitFor();
  const violations = await violationsOn(page);
  await page.unroute('**/v1/episodes*');
  await failures.getByRole('button', { name: 'Close' }).click();

  await episodeOf(page, 'Rule first').getByText('Acknowledged', { exact: true }).first().waitFor();
  expect(violations).toEqual([]);
  await context.close();
});
