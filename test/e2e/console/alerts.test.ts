import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { violationsOn } from './accessibility.ts';
import { CATS, type OpenConsole, openConsole } from './console-stack.ts';

/** The console, with rules that fire as soon as there is a price. */
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

/** The state of a rule's episode, as the API reports it. */
async function stateOf(rule: string): Promise<string | undefined> {
  const answer = await opened.ask(`/v1/episodes?watchlist=mine&rule=${rule}`);
  return Episodes.parse(await answer.json()).episodes[0]?.state;
}

const timeouts = { timeout: 60_000, interval: 500 };
const episodes = (page: Page) => page.getByRole('list', { name: /^Episodes/ }).locator('> li');
const episodeOf = (page: Page, label: string) => episodes(page).filter({ hasText: label });

async function visitAlerts() {
  for (const rule of ['first', 'second', 'cats']) {
    await expect.poll(() => stateOf(rule), timeouts).toBeDefined();
  }
  const visited = await opened.visit('#/alerts');
  await episodeOf(visited.page, 'Rule first').waitFor();
  return visited;
}

it('the alerts page finds episodes by state, severity, list, collection and text', async () => {
  const { page, context, troubles } = await visitAlerts();

  await page.getByLabel('List').selectOption({ label: 'Mine' });
  await expect.poll(() => episodes(page).count(), timeouts).toBe(3);
  await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
  await expect.poll(() => episodes(page).count(), timeouts).toBe(2);
  await page.getByLabel('Search alerts').fill('rule SECOND');
  await expect.poll(() => episodes(page).count(), timeouts).toBe(1);
  await page.getByLabel('State').selectOption({ label: 'Only ended' });
  await page.getByText('No matching alerts.').waitFor();
  const violations = await violationsOn(page);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('combobox', { name: 'Collection', exact: true }).selectOption(CATS);
  await episodeOf(page, '=1+1').waitFor();

  expect(violations).toEqual([]);
  expect(await page.getByLabel('Search alerts').inputValue()).toBe('');
  expect(troubles).toEqual([]);
  await context.close();
});

it('the alerts page keeps its filters in the address: a reload, a shared link and "back" restore them', async () => {
  const { page, context } = await visitAlerts();
  await page.getByLabel('List').selectOption({ label: 'Mine' });
  await page.getByRole('combobox', { name: 'Time' }).selectOption({ label: 'Last 7 days' });
  await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
  await page.getByLabel('Search alerts').fill('rule SECOND');
  await expect.poll(() => episodes(page).count(), timeouts).toBe(1);
  const address = page.url();

  await page.reload();
  await episodeOf(page, 'Rule second').waitFor();
  const reloaded = await episodes(page).count();
  await page.goBack();
  await expect.poll(() => episodes(page).count(), timeouts).toBe(3);
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

it('the CSV download contains the filtered episodes, without formulas', async () => {
  const { page, context, troubles } = await visitAlerts();
  await page.getByLabel('List').selectOption({ label: 'Mine' });
  await expect.poll(() => episodes(page).count(), timeouts).toBe(3);

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

it('an acknowledged episode shows the person, the mute and the deliveries in its timeline', async () => {
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
    .filter({ hasText: /Muted until recovered, but no later than .* by npm start/ })
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

it('a bulk action lists the failed episodes with their reasons', async () => {
  const { page, context } = await visitAlerts();
  await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
  await page.getByLabel('Select all 2 open alerts').check();
  // The page still shows the episode that has ended in the meantime.
  await page.route('**/v1/episodes*', (route) => route.fulfill({ status: 304 }));
  await opened.send('DELETE', '/v1/watchlists/mine/rules/second', undefined);
  await expect.poll(() => stateOf('second'), timeouts).toBe('over');

  await page.getByRole('button', { name: 'Acknowledge selected' }).click();
  const failures = page.getByRole('alert').filter({ hasText: '1 succeeded, 1 failed' });
  await failures.getByText(/Rule second.*the alert has no open episode/).waitFor();
  const violations = await violationsOn(page);
  await page.unroute('**/v1/episodes*');
  await failures.getByRole('button', { name: 'Close' }).click();

  await episodeOf(page, 'Rule first').getByText('Acknowledged', { exact: true }).first().waitFor();
  expect(violations).toEqual([]);
  await context.close();
});
