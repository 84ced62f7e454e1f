import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { violationsOn } from './accessibility.ts';
import { APES, CATS, go, type OpenConsole, openConsole } from './console-stack.ts';

/**
 * Tests of the palette, the shortcuts, the rows of the alerts page and the saved views in a
 * browser.
 */
let opened: OpenConsole;

beforeAll(async () => {
  opened = await openConsole();
  for (const id of ['first', 'second']) {
    await opened.makeRule(id, { when: 'above', threshold: '0.1', severity: 'critical' });
  }
  await opened.makeRule('cats', { on: CATS, when: 'above', threshold: '0.1', label: LONG });
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const LONG = 'Cats of the desk that are worth more than the threshold';
const timeouts = { timeout: 60_000, interval: 500 };
const Episodes = z.object({ episodes: z.array(z.looseObject({ state: z.string() })) });
const Mutes = z.object({
  mutes: z.array(z.object({ id: z.string(), rule: z.string().nullable() })),
});

const episodes = (page: Page) => page.getByRole('list', { name: /^Episodes/ }).locator('> li');
const rowOf = (page: Page, label: string) => episodes(page).filter({ hasText: label });
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or run an action' });

/** The alerts page of the test's list, once its rules fire. */
async function visitAlerts(screen: Parameters<OpenConsole['visit']>[1]) {
  const firing = async () => {
    const answer = await opened.ask('/v1/episodes?watchlist=mine&state=open');
    return Episodes.parse(await answer.json()).episodes.length;
  };
  await expect.poll(firing, timeouts).toBeGreaterThanOrEqual(3);
  const visited = await opened.visit('#/alerts?watchlist=mine', screen);
  await rowOf(visited.page, 'Rule first').waitFor();
  return visited;
}

async function mutesOf(list: string) {
  return Mutes.parse(await (await opened.ask(`/v1/watchlists/${list}/mutes`)).json()).mutes;
}

describe.each([
  { width: 390, height: 844, hasTouch: true, theme: 'light' },
  { width: 1440, height: 900, hasTouch: false, theme: 'dark' },
] as const)('$width pixels wide,', (screen) => {
  it('the palette finds a collection, and returns the focus when it is closed', async () => {
    const { page, context, troubles } = await opened.visit('#/alerts', screen);
    const button = page.getByRole('button', { name: 'Search or run an action' });

    await button.click();
    const field = palette(page).getByRole('combobox');
    await palette(page)
      .getByRole('option', { name: /Rusty Robots.*Collection/ })
      .waitFor();
    const violations = await violationsOn(page);
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    const focused = await button.evaluate((element) => element === document.activeElement);
    await button.click();
    await field.fill('apes of mine');
    await palette(page)
      .getByRole('option', { name: /Moonlit Apes.*Collection/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(APES).waitFor();
    const name = await page.getByRole('heading', { level: 1 }).innerText();

    expect(violations).toEqual([]);
    expect(focused).toBe(true);
    expect(await page.title()).toBe(`${name} · floorwatch`);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('the palette mutes everything for an hour after a confirmation, and unmutes it', async () => {
    const { page, context, troubles } = await opened.visit('#/lists', screen);
    const run = async (action: string) => {
      await page.getByRole('button', { name: 'Search or run an action' }).click();
      await palette(page).getByRole('combobox').fill(action);
      await palette(page).getByRole('option', { name: action }).first().click();
      const violations = await violationsOn(page);
      await palette(page)
        .getByRole('button', { name: action.replace(/ for.*/, '') })
        .click();
      return violations;
    };

    const violations = await run('Mute everything for 1 h');
    await page.getByText(/^Muted for 1 h: \d+ lists\.$/).waitFor();
    const muted = [await mutesOf('mine'), await mutesOf('demo')];
    await run('Unmute everything');
    await page.getByText(/^Unmuted: \d+ lists\.$/).waitFor();

    for (const mutes of muted) expect(mutes.some(({ rule }) => rule === null)).toBe(true);
    expect((await mutesOf('mine')).some(({ rule }) => rule === null)).toBe(false);
    expect(violations).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('a row expands to its timeline, and its actions are visible', async () => {
    const { page, context, troubles } = await visitAlerts(screen);
    const row = rowOf(page, 'Rule first');
    const title = row.getByRole('heading').getByRole('button');
    const acknowledge = row.getByRole('button', { name: /^(Acknowledge|End snooze|Snooze)$/ });
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    const box = await row.boundingBox();
    const inReach = await acknowledge.first().isVisible();

    await title.click();
    await row.getByRole('list', { name: 'Timeline' }).getByText('Fired').waitFor();
    await acknowledge.first().waitFor();
    const violations = await violationsOn(page);
    await title.click();
    await row.getByRole('list', { name: 'Timeline' }).waitFor({ state: 'detached' });

    // One line on a desktop, two lines on a phone.
    expect(box?.height).toBeLessThan(screen.width > 1100 ? 48 : 72);
    expect(inReach).toBe(screen.width > 700);
    expect(violations).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('a saved view survives a reload, is in the palette, and can be deleted', async () => {
    const { page, context, troubles } = await visitAlerts(screen);
    await page.getByLabel('Severity').selectOption({ label: 'Only critical' });
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('View name').fill('Critical of mine');
    await page.keyboard.press('Enter');
    const views = page.getByRole('list', { name: 'Saved views' });
    const chip = views.getByRole('link', { name: 'Critical of mine' });
    await chip.waitFor();
    const violations = await violationsOn(page);

    await page.reload();
    await chip.waitFor();
    const current = await chip.getAttribute('aria-current');
    await go(page, '#/alerts');
    await page.getByRole('button', { name: 'Search or run an action' }).click();
    await palette(page).getByRole('combobox').fill('critical of');
    await palette(page)
      .getByRole('option', { name: /Critical of mine.*View/ })
      .click();
    await expect.poll(() => page.getByLabel('Severity').inputValue()).toBe('critical');
    await page.getByRole('button', { name: 'Delete the view “Critical of mine”' }).click();
    await views.waitFor({ state: 'detached' });

    expect(current).toBe('true');
    expect(violations).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

it('the keyboard opens, selects, snoozes and acknowledges rows', async () => {
  const { page, context, troubles } = await visitAlerts({ width: 1440, height: 900 });
  const row = rowOf(page, 'Rule second');
  const title = row.getByRole('heading').getByRole('button');
  const isFocused = () => title.evaluate((element) => element === document.activeElement);

  for (let moved = 0; moved < 3 && !(await isFocused()); moved += 1) {
    await page.keyboard.press('j');
  }
  expect(await isFocused()).toBe(true);
  await page.keyboard.press('Enter');
  await row.getByRole('list', { name: 'Timeline' }).waitFor();
  await page.keyboard.press('x');
  expect(await row.getByRole('checkbox').isChecked()).toBe(true);
  await page.keyboard.press('x');
  await page.keyboard.press('s');
  await row.getByRole('button', { name: 'for 1 h' }).press('Enter');
  await row.getByRole('button', { name: 'End snooze' }).waitFor();
  await expect.poll(isFocused).toBe(true);
  await page.keyboard.press('e');
  await row.getByText('Acknowledged', { exact: true }).first().waitFor();
  // In a field these keys type text.
  await page.getByLabel('Search alerts').pressSequentially('jx?/');

  expect(await page.getByLabel('Search alerts').inputValue()).toBe('jx?/');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it.each([
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
])('"?" shows the shortcuts, which open pages, $width pixels wide', async (screen) => {
  const { page, context, troubles } = await opened.visit('#/', screen);

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next alert').waitFor();
  const violations = await violationsOn(page);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // On a busy machine the second key may come too late to belong to the first one.
  const openLists = async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    return await page.title();
  };
  await expect.poll(openLists, { interval: 500 }).toBe('Lists · floorwatch');
  await page.getByRole('heading', { name: 'Lists and changes' }).waitFor();
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();

  expect(violations).toEqual([]);
  expect(await page.title()).toBe('Lists · floorwatch');
  expect(troubles).toEqual([]);
  await context.close();
});

it('the rows of the alerts page fit at every width, without targets that are too close', async () => {
  const { page, context, troubles } = await visitAlerts({ width: 1440, height: 900 });
  for (const title of await page.getByRole('heading').getByRole('button').all()) {
    await title.click();
  }
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) found.push(`${width}: the page is ${wide} wide`);
    for (const violation of await violationsOn(page)) found.push(`${width}: ${violation}`);
    const pitch = await page.evaluate(smallestPitch, '.facts a');
    if (pitch < 24) found.push(`${width}: two lines of links are ${pitch} pixels apart`);
  }

  expect(found).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

/** The smallest distance between the centers of elements on different lines. */
function smallestPitch(selector: string): number {
  const middles = [...document.querySelectorAll(selector)].map((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return (top + bottom) / 2;
  });
  const steps = middles.slice(1).map((middle, index) => Math.abs(middle - (middles[index] ?? 0)));
  return Math.min(...steps.filter((step) => step > 4));
}

/** Widths between the limits at which the layout changes, and on both sides of each limit. */
const WIDTHS = [
  ...[320, 340, 360, 375, 390, 412, 430, 460, 500, 560, 620, 700, 701, 760, 820, 900, 901],
  ...[980, 1060, 1100, 1101, 1180, 1280, 1440],
];
