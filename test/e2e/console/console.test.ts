import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { telegramDouble } from '#shared/channels/telegram/double.ts';
import { violationsOn } from './accessibility.ts';
import { openPage } from './browser.ts';
import {
  APES,
  CATS,
  expectTestToArrive,
  go,
  HOSTILE,
  type OpenConsole,
  openConsole,
} from './console-stack.ts';

/** A chat of the fake Telegram. */
const { token: TOKEN, chat: CHAT } = telegramDouble.channel;
/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let opened: OpenConsole;
let browser: Browser;
let url = '';
let key = '';

beforeAll(async () => {
  opened = await openConsole();
  ({ browser, url, key } = opened);
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const ask: OpenConsole['ask'] = async (...asked) => await opened.ask(...asked);
const post: OpenConsole['post'] = async (...posted) => await opened.post(...posted);
const makeRule: OpenConsole['makeRule'] = async (...rule) => await opened.makeRule(...rule);
const visit: OpenConsole['visit'] = async (...where) => await opened.visit(...where);

async function floorOf(contract: string): Promise<number> {
  const { series } = Contract.parse(await (await ask(`/v1/contracts/${contract}`)).json());
  return Number(series.find((one) => one.series === 'floor')?.price);
}

const Contract = z.object({
  series: z.array(z.object({ series: z.string(), price: z.string().nullable() })),
});
const ChannelOfTenant = z.object({ channel: z.looseObject({ id: z.string() }) });
const RulesOfList = z.object({ rules: z.array(z.looseObject({ label: z.string().optional() })) });
const IssuedKey = z.object({ key: z.string() });
const Pictured = z.looseObject({ contracts: z.array(z.looseObject({})) });
const RuleOfList = z.object({ rule: z.looseObject({ threshold: z.string() }) });

const collection = (contract: string) => `#/collections/${encodeURIComponent(contract)}`;

/**
 * The position of the lowest threshold line in the chart, found by the changed shape of the
 * pointer.
 */
async function lowestLine(page: Page) {
  const canvas = page.getByRole('img', { name: /^Floor of/ });
  await canvas.locator('canvas').first().waitFor();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  if (box === null) throw new Error('the chart is not shown');
  const x = box.x + box.width / 3;
  for (let y = box.y + box.height - 30; y > box.y; y -= 3) {
    await page.mouse.move(x, y);
    if (await canvas.evaluate((element) => element.classList.contains('on-line'))) {
      return { x, y, top: box.y };
    }
  }
  throw new Error('the chart has no line');
}

it('the root leads to the console, and the key in a link is removed from the address', async () => {
  const { page, context, troubles } = await openPage(browser);

  await page.goto(`${url}/#key=${key}`);
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();

  expect(new URL(page.url()).pathname).toBe('/app');
  expect(page.url()).not.toContain(key);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a link with another key replaces the session only after a confirmation, and its key leaves the address', async () => {
  const headers = { 'X-API-Key': key };
  const body = JSON.stringify({ name: 'the wall', scopes: ['view'] });
  const made = await fetch(`${url}/v1/keys`, { method: 'POST', headers, body });
  const { key: other } = IssuedKey.parse(await made.json());
  const { page, context, troubles } = await visit('#/alerts');
  const question = page.getByRole('alert').filter({ hasText: 'another key' });
  const stored = () => page.evaluate(() => Object.values(sessionStorage));

  await go(page, `#key=${other}`);
  await question.getByText('“the wall”').waitFor();
  const violations = await violationsOn(page);
  const asked = page.url();
  await page.getByRole('button', { name: 'Keep my key' }).click();
  const declined = await stored();
  await go(page, `#key=${other}`);
  await page.getByRole('button', { name: 'Use the other key' }).click();
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();

  expect(violations).toEqual([]);
  expect(new URL(asked).hash).toBe('#/alerts');
  expect([declined, await stored()]).toEqual([[key], [other]]);
  expect(new URL(page.url()).hash).toBe('#/');
  expect(await question.count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the overview shows the threshold of each collection, and keeps search and sort order in the address', async () => {
  const { page, context, troubles } = await visit();

  await page.getByRole('link', { name: /Rusty Robots.*ETH.*threshold.*ETH/s }).waitFor();
  await page.getByText(/checked .* ago/).waitFor();
  const rows = page.getByRole('main').getByRole('listitem');
  await page.getByRole('searchbox', { name: 'Search collections' }).fill('robots');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Sort').selectOption('Name');
  await page.reload();
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await page.getByLabel('Sort').inputValue()).toBe('name');
  await page.goBack();
  await expect.poll(() => page.getByLabel('Sort').inputValue()).toBe('distance');
  expect(troubles).toEqual([]);
  await context.close();
});

it('the form of a new rule shows its preview, and the saved rule fires', async () => {
  const { page, context, troubles } = await visit(collection(APES));

  await page.getByRole('link', { name: 'New rule' }).click();
  await page.getByLabel('Condition', { exact: true }).selectOption({ label: 'rises to or above' });
  await page.getByLabel(/^Threshold/).fill('1');
  await page.getByText(/The rule would have fired/).waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Name in messages').fill('Apes by hand');
  await page.getByRole('button', { name: 'Save rule' }).click();
  const rule = page.getByRole('listitem').filter({ hasText: 'Apes by hand' }).first();

  await rule.getByText('Firing').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('a threshold line is moved by dragging it, and its rule fires', async () => {
  await makeRule('dragged', { on: CATS, threshold: ((await floorOf(CATS)) * 0.4).toFixed(4) });
  const { page, context, troubles } = await visit(collection(CATS));
  const rule = page.getByRole('listitem').filter({ hasText: 'Rule dragged' }).first();
  await rule.getByText('OK').waitFor();

  await page.getByRole('button', { name: /Rule dragged is below the chart: show it/ }).click();
  const { x, y, top } = await lowestLine(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 40, { steps: 4 });
  await page.mouse.move(x, top + 4, { steps: 12 });
  await page.getByText(/^Last 30 days: fired/).waitFor();
  await page.mouse.up();
  const field = page.getByLabel(/^Threshold of “Rule dragged”/);
  const dragged = Number(await field.inputValue());
  await page.getByRole('button', { name: 'Save line' }).click();

  expect(dragged).toBeGreaterThan(await floorOf(CATS));
  await rule.getByText('Firing').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('a threshold line is moved with a finger, without scrolling the page', async () => {
  await expect.poll(() => floorOf(CATS), { timeout: 60_000 }).toBeGreaterThan(0);
  await makeRule('fingered', { on: CATS, threshold: ((await floorOf(CATS)) * 0.4).toFixed(4) });
  const phone = { width: 360, height: 740, hasTouch: true };
  const { page, context } = await visit(collection(CATS), phone);
  await page.getByRole('button', { name: /Rule fingered is below the chart: show it/ }).tap();
  const { x, y, top } = await lowestLine(page);
  const scrolled = await page.evaluate(() => window.scrollY);
  const touches = await context.newCDPSession(page);
  const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', at: readonly number[]) =>
    await touches.send('Input.dispatchTouchEvent', {
      ...{ type, touchPoints: at.map((place) => ({ x, y: place })) },
    });

  await touch('touchStart', [y]);
  for (let place = y; place > top + 4; place -= 10) await touch('touchMove', [place]);
  await touch('touchMove', [top + 4]);
  await touch('touchEnd', []);
  const field = page.getByLabel(/^Threshold of “Rule fingered”/);
  await field.waitFor();

  expect(Number(await field.inputValue())).toBeGreaterThan(await floorOf(CATS));
  expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
  await page.getByRole('button', { name: 'Discard' }).click();
  await context.close();
});

it('the console creates a rule by a click on the chart, and deletes it after a confirmation', async () => {
  const { page, context, troubles } = await visit(`${collection(APES)}/rules/mine/new`);
  const canvas = page.getByRole('img', { name: /^Floor of/ });
  await canvas.locator('canvas').first().waitFor();
  await page.getByText(/^The floor is [\d.]+ ETH now\.$/).waitFor();

  await page.getByText('Click or tap the chart to place the line').waitFor();
  await canvas.click({ position: { x: 100, y: 100 } });
  const placed = await page.getByLabel(/^Threshold/).inputValue();
  await page.getByText('Click or tap the chart').waitFor({ state: 'detached' });
  await page.getByLabel('When to fire').selectOption('for a time');
  await page.getByLabel('For at least').fill('10m');
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Name in messages').fill('Placed by a click');
  await page.getByRole('button', { name: 'Save rule' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'Placed by a click' }).first();
  await card.getByRole('link', { name: 'Edit' }).click();
  const made = RulesOfList.parse(await (await ask('/v1/watchlists/mine/rules')).json());
  await page.getByRole('button', { name: 'Delete this rule…' }).click();
  const violations = await violationsOn(page);
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('The rule “Placed by a click” was deleted.').waitFor();

  const label = 'Placed by a click';
  expect(made.rules).toContainEqual(
    expect.objectContaining({ label, threshold: placed, for: '10m' }),
  );
  const left = RulesOfList.parse(await (await ask('/v1/watchlists/mine/rules')).json());
  expect(left.rules.map((rule) => rule.label)).not.toContain(label);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it.each([
  { width: 390, height: 844, hasTouch: true },
  { width: 1440, height: 900, hasTouch: false },
])(
  'a click on the price scale starts a rule, and Escape discards it, $width pixels wide',
  async (screen) => {
    const { page, context, troubles } = await visit(collection(APES), screen);
    const canvas = page.getByRole('img', { name: /^Floor of/ });
    await canvas.locator('canvas').first().waitFor();
    const box = await canvas.boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) - 20, (box?.y ?? 0) + 40];
    const press = async () =>
      await (screen.hasTouch ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));

    await press();
    await page.getByText(/^Last 30 days: fired/).waitFor();
    const violations = await violationsOn(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    await press();
    const line = await page.getByLabel(/^Alert when the floor rises to or above/).inputValue();
    await page.getByRole('link', { name: 'Create this rule' }).click();

    expect(await page.getByLabel(/^Threshold/).inputValue()).toBe(line);
    expect(await page.getByLabel('Condition', { exact: true }).inputValue()).toBe('above');
    expect(violations).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  },
);

it('Escape during a drag returns the threshold line to its place', async () => {
  await expect.poll(() => floorOf(CATS), { timeout: 60_000 }).toBeGreaterThan(0);
  await makeRule('kept', { on: CATS, threshold: ((await floorOf(CATS)) * 0.3).toFixed(4) });
  const { page, context } = await visit(collection(CATS));
  await page.getByRole('button', { name: /Rule kept is below the chart: show it/ }).click();
  const { x, y } = await lowestLine(page);

  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 60, { steps: 4 });
  await page.getByLabel(/^Threshold of “Rule kept”/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel(/^Threshold of “Rule kept”/).waitFor({ state: 'detached' });
  await page.mouse.move(x, y - 90, { steps: 4 });
  await page.mouse.up();

  expect(await page.getByRole('button', { name: 'Save line' }).count()).toBe(0);
  expect(await lowestLine(page)).toMatchObject({ y });
  await context.close();
});

/** A chart of 30 days, and its caption when the pointer is at its left edge. */
async function zoomableChart() {
  const { page, context } = await visit(`${collection(CATS)}?range=30d`, { hasTouch: true });
  const canvas = page.getByRole('img', { name: /^Floor of/ });
  await canvas.locator('canvas').first().waitFor();
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, width } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  const [left, middle] = [x + 4, x + width / 2];
  const times = page.locator('figcaption');
  /** The price and its time at the left edge of the chart. */
  const atLeft = async () => {
    await page.mouse.move(left + 30, y + 80);
    await page.mouse.move(left, y + 80);
    return (await times.innerText()).replace(/ · [^·]* ago/, '');
  };
  return { page, context, middle, y, atLeft };
}

/** The height of a line. */
async function heightOfLine(page: Page, x: number, top: number): Promise<number> {
  for (let y = top + 10; y < top + 200; y += 4) {
    await page.mouse.move(x, y);
    if ((await page.locator('.on-line').count()) > 0) return y;
  }
  throw new Error('the chart has no line');
}

it('the chart zooms by wheel and buttons, and newer prices keep the zoom', async () => {
  const { page, context, middle, y, atLeft } = await zoomableChart();
  const all = await atLeft();

  await page.mouse.move(middle, y + 80);
  await page.mouse.wheel(0, -400);
  await expect.poll(atLeft).not.toBe(all);
  const byWheel = await atLeft();
  await page.waitForResponse(/prices/);
  await expect.poll(atLeft).toBe(byWheel);
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await expect.poll(atLeft).toBe(all);
  await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
  await expect.poll(atLeft).not.toBe(all);
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await expect.poll(atLeft).toBe(all);
  await context.close();
});

it('two fingers zoom the chart, even if they begin on a line', async () => {
  const { page, context, middle, y: top, atLeft } = await zoomableChart();
  const all = await atLeft();
  const y = await heightOfLine(page, middle, top);

  const touches = await context.newCDPSession(page);
  const pinch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', reach: number) =>
    await touches.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : [
              { x: middle - reach, y, id: 0 },
              { x: middle + reach, y, id: 1 },
            ],
    });
  await pinch('touchStart', 20);
  for (let reach = 30; reach <= 150; reach += 20) await pinch('touchMove', reach);
  await pinch('touchEnd', 0);

  await expect.poll(atLeft).not.toBe(all);
  await context.close();
});

it('a threshold line is moved with the keyboard alone', async () => {
  await makeRule('typed');
  const { page, context } = await visit(collection(APES));
  const rule = page.getByRole('listitem').filter({ hasText: 'Rule typed' }).first();

  await rule.getByRole('button', { name: 'Move line' }).press('Enter');
  await page.getByLabel(/^Threshold of “Rule typed”/).fill('8.5');
  await page.getByLabel(/^Threshold of “Rule typed”/).press('Enter');

  await rule
    .getByText(/to 8.5 ETH/)
    .first()
    .waitFor();
  await context.close();
});

it('a rule conflict shows the difference, and overwrites nothing without a confirmation', async () => {
  await makeRule('contested');
  const { page, context } = await visit(`${collection(APES)}/rules/mine/contested`);
  await page.getByLabel(/^Threshold/).fill('8');

  const path = '/v1/watchlists/mine/rules/contested';
  const known = await ask(path);
  const { rule } = RuleOfList.parse(await known.json());
  const changed = await ask(path, {
    method: 'PUT',
    headers: { 'If-Match': known.headers.get('ETag') ?? '' },
    body: JSON.stringify({ ...rule, threshold: '7' }),
  });
  await page.getByRole('button', { name: 'Save rule' }).click();
  const row = page.getByRole('row', { name: /threshold/ });
  await row.waitFor();
  const before = RuleOfList.parse(await (await ask(path)).json());
  const shown = await row.getByRole('cell').allInnerTexts();
  const violations = await violationsOn(page);
  await page.getByRole('button', { name: 'Save mine' }).click();
  await page.getByText(/^Saved/).waitFor();

  expect(changed.status).toBe(200);
  expect(shown).toEqual(['9', '7', '8']);
  expect(before.rule.threshold).toBe('7');
  const after = RuleOfList.parse(await (await ask(path)).json());
  expect(after.rule.threshold).toBe('8');
  expect(violations).toEqual([]);
  await context.close();
});

it('an error of a rule is shown at its field, in the words of the form', async () => {
  const { page, context } = await visit(`${collection(APES)}/rules/mine/new`);
  const threshold = page.getByLabel(/^Threshold/);

  await threshold.fill('twelve');
  await page.getByRole('button', { name: 'Save rule' }).click();

  await page.getByRole('alert').filter({ hasText: 'Correct the marked field' }).waitFor();
  await page.getByText('Enter a number, such as 9.5.').waitFor();
  expect(await threshold.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await violationsOn(page)).toEqual([]);
  await context.close();
});

it('on a phone the threshold of a rule, its preview and "Save rule" are visible together, and a decimal comma is accepted', async () => {
  const phone = { width: 390, height: 844, hasTouch: true };
  const { page, context, troubles } = await visit(`${collection(APES)}/rules/mine/new`, phone);
  const threshold = page.getByLabel(/^Threshold/);
  const outcome = page.getByText(/^Last 30 days: fired/);
  const save = page.getByRole('button', { name: 'Save rule' });
  /** Whether an element is on the screen, and not covered. */
  const isInSight = async (one: Locator) =>
    await one.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });

  await threshold.fill('11,5');
  await page.getByText(/^Read as 11\.5\./).waitFor();
  await threshold.blur();
  await outcome.waitFor();

  expect(await threshold.inputValue()).toBe('11.5');
  expect(await Promise.all([threshold, outcome, save].map(isInSight))).toEqual([true, true, true]);
  expect(await violationsOn(page)).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the console creates a rule of two conditions on some collections, with all fields of "More"', async () => {
  const { page, context, troubles } = await visit(`${collection(APES)}/rules/mine/new`);

  await page.getByLabel('Alert when').selectOption({ label: 'some collections in “Mine”' });
  await page.getByLabel(/^Threshold/).fill('8');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Metric').nth(1).selectOption('lowest_price.7d');
  await page
    .getByLabel(/^Threshold/)
    .nth(1)
    .fill('7.5');
  await page.getByLabel('Severity').selectOption('critical');
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('When to fire').selectOption('often');
  await page.getByLabel('Recovered for').fill('2h');
  await page.getByLabel('How often').selectOption('reminder');
  await page.getByLabel('Reminder every').fill('6h');
  await page.getByLabel('Report missing prices after').fill('1d');
  await page.getByLabel('Accept outliers immediately').check();
  await page.getByLabel('Name in messages').fill('Both are low');
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByText(/^Saved/).waitFor();

  const { rules } = RulesOfList.parse(await (await ask('/v1/watchlists/mine/rules')).json());
  expect(rules.find(({ label }) => label === 'Both are low')).toMatchObject({
    on: [APES, CATS],
    all: [
      { metric: 'floor_price', when: 'below', threshold: '8' },
      { metric: 'lowest_price.7d', when: 'below', threshold: '7.5' },
    ],
    ...{ confirm: { times: 2, of: 3 }, keepFor: '2h', repeat: { reminder: '6h' } },
    ...{ noData: { alert: '1d' }, outliers: 'take', severity: 'critical' },
  });
  expect(troubles).toEqual([]);
  await context.close();
});

it('emptying a field of the rule form removes only the member of that field from the rule', async () => {
  const more = { recover: '10', steps: '5', arm: 'cross', notify: ['desk'] };
  await makeRule('trimmed', more);
  const { page, context } = await visit(`${collection(APES)}/rules/mine/trimmed`);

  await page.getByText('More', { exact: true }).click();
  await page.getByLabel(/^Recovery threshold/).fill('');
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByText(/^Saved/).waitFor();

  const read = await ask('/v1/watchlists/mine/rules/trimmed');
  const { rule } = RuleOfList.parse(await read.json());
  expect(rule).toMatchObject({ steps: '5', arm: 'cross', notify: ['desk'] });
  expect(rule).not.toHaveProperty('recover');
  await context.close();
});

it('the last message is shown as each kind of notified channel would show it', async () => {
  const { page, context, troubles } = await visit(`${collection(APES)}/rules/tour/new`);

  await page.getByLabel('Condition', { exact: true }).selectOption('above');
  await page.getByLabel(/^Threshold/).fill('1');
  const message = page.getByRole('region', { name: 'The last message' });
  for (const kind of ['Email', 'Slack', 'Discord', 'Teams', 'Telegram', 'PagerDuty']) {
    await message.getByRole('button', { name: kind, exact: true }).click();
    const shown = message.getByRole('article', { name: `Preview in ${kind}` });
    await shown.getByText(/floor price at or above 1 ETH/i).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  }

  expect(troubles).toEqual([]);
  await context.close();
});

it('a rule is snoozed, and the snooze is ended', async () => {
  await makeRule('snoozed');
  const { page, context } = await visit(collection(APES));
  const rule = page.getByRole('listitem').filter({ hasText: 'Rule snoozed' }).first();

  await rule.getByRole('button', { name: 'Snooze' }).click();
  await rule.getByRole('button', { name: 'for 1 h' }).click();
  await rule.getByText(/^Snoozed until/).waitFor();
  await rule.getByRole('button', { name: 'End snooze' }).click();

  await rule.getByRole('button', { name: 'Snooze' }).waitFor();
  await context.close();
});

it('a channel is tested, and the console shows that the test has arrived', async () => {
  const { page, context, troubles } = await visit('#/channels');
  const room = page.getByRole('listitem').filter({ hasText: 'room' }).first();

  await expectTestToArrive(room);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a channel for all lists is added: its secret is hidden, and a test arrives', async () => {
  const { page, context, troubles } = await visit('#/channels');

  await page.getByRole('button', { name: 'Add a channel' }).click();
  await page.getByRole('radio', { name: 'Telegram', exact: true }).check();
  await page.getByText(/Send \/newbot to @BotFather/).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('crowd');
  await page.getByLabel('Bot token').fill(TOKEN);
  await page.getByLabel('Chat', { exact: true }).fill(CHAT);
  await page.getByRole('button', { name: 'Add channel' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'crowd' });
  await expectTestToArrive(card);
  await card.getByText('No list uses it yet.').waitFor();
  await card.getByRole('button', { name: 'Edit' }).click();
  await page.getByText(/^Saved \([0-9a-f]{8}\)$/).waitFor();
  const violations = await violationsOn(page);
  await page.getByLabel('Later alerts of an episode').selectOption('post');
  await page.getByRole('button', { name: 'Save channel' }).click();
  await card.getByText('Working').waitFor();

  const { channel } = ChannelOfTenant.parse(await (await ask('/v1/channels/crowd')).json());
  expect(channel).toMatchObject({ kind: 'telegram', chat: CHAT, updates: 'post' });
  expect(await page.content()).not.toContain(TOKEN);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a webhook with batches is added, and changed to single alerts', async () => {
  const { page, context } = await visit('#/channels');
  const most = page.getByLabel('Maximum alerts per request');
  const card = page.getByRole('listitem').filter({ hasText: 'exchange' });
  const written = async () =>
    ChannelOfTenant.parse(await (await ask('/v1/channels/exchange')).json()).channel;

  await page.getByRole('button', { name: 'Add a channel' }).click();
  await page.getByRole('radio', { name: 'Webhook', exact: true }).check();
  await page.getByLabel('Name', { exact: true }).fill('exchange');
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/alerts');
  await page.getByLabel('Signing secret').fill(`whsec_${'c2VjcmV0'.repeat(5)}`);
  await most.fill('a few');
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page.getByText(/^expected /i).waitFor();
  await most.fill('50');
  await page.getByRole('button', { name: 'Add channel' }).click();
  await card.getByRole('button', { name: 'Edit' }).click();
  const many = await written();
  const shown = await most.inputValue();
  await most.fill('');
  await page.getByRole('button', { name: 'Save channel' }).click();
  await card.getByRole('button', { name: 'Edit' }).waitFor();

  expect(many).toMatchObject({ kind: 'webhook', batchSize: 50 });
  expect(shown).toBe('50');
  expect(await written()).not.toHaveProperty('batchSize');
  await context.close();
});

it('an error of a channel is shown at its field, which receives the focus', async () => {
  const { page, context } = await visit('#/channels');

  await page.getByRole('button', { name: 'Add a channel' }).click();
  await page.getByRole('radio', { name: 'Slack', exact: true }).check();
  await page.getByLabel('Webhook URL').fill('https://example.com/hook');
  await page.getByRole('button', { name: 'Add channel' }).click();

  const field = page.getByLabel('Webhook URL');
  await page.getByText(/^expected https:\/\/hooks\.slack\.com/).waitFor();
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await violationsOn(page)).toEqual([]);
  await context.close();
});

it('a channel that a list uses is not removed, and the error names the list', async () => {
  await post('/v1/channels', { id: 'used', kind: 'email', to: 'used@example.com' });
  await post('/v1/watchlists', { id: 'user', name: 'Its user', channels: ['used'] });
  const { page, context } = await visit('#/channels');
  const card = page.getByRole('listitem').filter({ hasText: 'used@example.com' });
  await card.getByText('Used by “Its user”.').waitFor();

  await card.getByRole('button', { name: 'Remove' }).click();
  await card.getByRole('button', { name: 'Yes, remove used' }).click();
  await card.getByRole('alert').filter({ hasText: '"user"' }).waitFor();
  await ask('/v1/watchlists/user', { method: 'DELETE', headers: { 'If-Match': '*' } });
  await card.getByRole('button', { name: 'Remove' }).click();
  await card.getByRole('button', { name: 'Yes, remove used' }).click();

  await card.waitFor({ state: 'detached' });
  expect((await ask('/v1/channels/used')).status).toBe(404);
  await context.close();
});

it('the picture of a collection is requested once, with the key, and initials are shown if it is missing', async () => {
  const { page, context, troubles } = await openPage(browser);
  const asked: (string | undefined)[] = [];
  await page.route('**/v1/overview*', async (route) => {
    const response = await route.fetch();
    const { contracts, ...overview } = Pictured.parse(await response.json());
    const image = 'https://i2c.seadn.io/picture.png';
    await route.fulfill({
      response,
      json: { ...overview, contracts: contracts.map((one) => ({ ...one, image })) },
    });
  });
  await page.route('**/picture', async (route) => {
    const isApes = route
      .request()
      .url()
      .includes(`${encodeURIComponent(APES)}/picture`);
    if (isApes) asked.push(route.request().headers()['x-api-key']);
    await (isApes
      ? route.fulfill({ contentType: 'image/png', body: PICTURE })
      : route.fulfill({ status: 404, json: { status: 404, detail: 'none is known' } }));
  });

  await page.goto(`${url}/app#key=${key}`);
  const picture = page.locator('main img').first();
  await picture.waitFor();
  await go(page, '#/channels');
  await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
  await go(page, '#/');
  await picture.waitFor();

  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  expect(asked).toEqual([key]);
  await page.getByText('RR', { exact: true }).waitFor();
  expect(troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
  await context.close();
});

it('names with markup are shown as plain text', async () => {
  const { page, context, troubles } = await visit(collection(CATS));

  await page.getByRole('heading', { name: /Cats/, level: 1 }).waitFor();

  const heading = await page.getByRole('heading', { level: 1 }).innerText();
  expect([HOSTILE, 'Moonlit Cats']).toContain(heading);
  await go(page, '#/lists');
  await page.getByRole('link', { name: HOSTILE, exact: true }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the console shows that it is offline with its last state, and becomes live again', async () => {
  const { page, context } = await visit();

  await context.setOffline(true);
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
  await page.getByText(/Last update:/).waitFor();
  const shown = await page.getByRole('link', { name: /Rusty Robots/ }).count();
  const violations = await violationsOn(page);
  await context.setOffline(false);

  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  expect(shown).toBe(1);
  expect(violations).toEqual([]);
  await context.close();
});

it('the console asks for a new key if its key is no longer valid', async () => {
  const { page, context } = await visit();

  await page.route('**/v1/**', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-api-key': 'fw_revoked' } }),
  );
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByText('The key is not valid').waitFor();
  const violations = await violationsOn(page);
  await page.unroute('**/v1/**');
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Remember the key on this device').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Alerts' }).waitFor();

  expect(violations).toEqual([]);
  expect(await page.evaluate(() => Object.values(localStorage))).toEqual([key]);
  await context.close();
});

it('the overview polls every 15 seconds with If-None-Match, and not while the tab is hidden', async () => {
  const { page, context } = await openPage(browser);
  await page.clock.install();
  const asked: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/overview')) asked.push(request.headers()['if-none-match']);
  });
  await page.goto(`${url}/app#key=${key}`);
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();

  await Promise.all([page.waitForResponse(/overview/), page.clock.runFor(15_000)]);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const seen = asked.length;
  await page.clock.runFor(120_000);
  const hidden = asked.length;
  await Promise.all([
    page.waitForResponse(/overview/),
    page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }),
  ]);

  expect(asked[0]).toBeUndefined();
  expect(asked[1]).toMatch(/^"/);
  expect(hidden).toBe(seen);
  await context.close();
});

const PAGES = [
  { name: 'overview', hash: '#/', shows: /checked/ },
  { name: 'collection', hash: collection(APES), shows: /Recent alerts/ },
  { name: 'rule', hash: `${collection(APES)}/rules/mine/new`, shows: /The last 30 days/ },
  { name: 'alerts', hash: '#/alerts', shows: /^Today$/ },
  { name: 'channels', hash: '#/channels', shows: /Send a test/ },
  { name: 'lists', hash: '#/lists', shows: /Change history/ },
  { name: 'list', hash: '#/lists/mine', shows: /(created|changed) this list/ },
  { name: 'operations', hash: '#/operations', shows: /you are signed in with this key/ },
];

describe.each([
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
] as const)('in the $theme theme, $width pixels wide,', ({ theme, width }) => {
  let visitor: Awaited<ReturnType<typeof visit>>;
  beforeAll(async () => {
    visitor = await visit('#/', { theme, width });
  });
  afterAll(async () => {
    await visitor?.context.close();
  });

  it.each(PAGES)(
    'the page $name fits, and axe finds no accessibility violation',
    async ({ hash, shows }) => {
      const { page, troubles } = visitor;
      await go(page, hash);
      await page.getByText(shows).first().waitFor();

      const wide = await page.evaluate(() => document.documentElement.scrollWidth);

      expect(await violationsOn(page)).toEqual([]);
      expect(wide).toBeLessThanOrEqual(width);
      expect(troubles).toEqual([]);
    },
  );
});

it('axe finds no accessibility violation on the sign-in page', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(`${url}/app`);
  await page.getByLabel('API key').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await context.close();
});

it('pages that are opened again without a connection show their last known state', async () => {
  const { page, context, troubles } = await visit(collection(APES));
  await page.getByRole('link', { name: 'Charts by TradingView' }).waitFor();
  await go(page, '#/lists');
  await page.getByRole('region', { name: 'Mine' }).waitFor();
  const before = [...troubles];

  await context.setOffline(true);
  await go(page, collection(APES));
  await page.getByText(/You are offline\. Last update: \d+ s ago/).waitFor();
  await page
    .getByRole('img', { name: /^Floor of/ })
    .locator('canvas')
    .first()
    .waitFor();
  const violations = await violationsOn(page);
  await go(page, '#/operations');
  await page.getByText('Not loaded: there is no connection.').first().waitFor();
  await context.setOffline(false);

  await page
    .getByText(/you are signed in with this key/)
    .first()
    .waitFor();
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  expect(violations).toEqual([]);
  expect(before).toEqual([]);
  await context.close();
});

/** Shows a visitor these statistics instead of those that the stack has recorded. */
async function withStatistics(page: Page): Promise<void> {
  const { pathname } = new URL(`${url}/v1/contracts/${encodeURIComponent(APES)}`);
  const since = Date.now() - 22 * 3_600_000;
  await page.route(`**${pathname}`, async (route) => {
    const response = await route.fetch();
    const known = Pictured.extend({ series: z.array(z.looseObject({})) })
      .omit({ contracts: true })
      .parse(await response.json());
    const [floor] = known.series;
    const statistic = (name: string, price: string, currency: string) => ({
      ...{ ...floor, series: name, price, currency, usd: null },
    });
    const statistics = [
      ...[statistic('volume.1d', '32.5', 'eth'), statistic('sales.1d', '41', 'sales')],
      ...[statistic('volume.7d', '201.25', 'eth'), statistic('sales.7d', '260', 'sales')],
      ...[statistic('volume.30d', '28419.43312', 'eth'), statistic('sales.30d', '20390', 'sales')],
      statistic('owners', '5123', 'owners'),
    ];
    await route.fulfill({ response, json: { ...known, series: [floor, ...statistics] } });
  });
  await page.route(`**${pathname}/prices?*series=volume.1d*`, async (route) => {
    // An unchanged answer would have no body.
    const { 'if-none-match': _known, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    const points = Array.from({ length: 88 }, (_, index) => ({
      time: new Date(since + index * 900_000).toISOString(),
      price: `${index % 30 === 29 ? 0 : 20 + 12 * Math.abs(Math.sin(index / 9))}`,
      ...{ currency: 'eth', usd: null, source: null, tradedAt: null, outlier: false },
    }));
    const prices = z.looseObject({}).parse(await response.json());
    await route.fulfill({ response, json: { ...prices, points, gaps: [] } });
  });
}

/** The number of pixels with the bar colour in a horizontal stripe of the chart, from the top. */
async function barPixels(page: Page, from: number, to: number): Promise<number> {
  return await page.getByRole('img', { name: /^Floor of/ }).evaluate(
    (element, [top, bottom]) => {
      const probe = document.createElement('span');
      probe.style.color = 'var(--volume)';
      element.append(probe);
      const wanted =
        getComputedStyle(probe)
          .color.match(/[\d.]+/g)
          ?.map(Number) ?? [];
      probe.remove();
      const counted = [...element.querySelectorAll('canvas')].map((canvas) => {
        const context = canvas.getContext('2d');
        const [first, last] = [top, bottom].map((part) => Math.floor(canvas.height * part));
        const height = (last ?? 0) - (first ?? 0);
        if (context === null || canvas.width === 0 || height < 1) return 0;
        const { data } = context.getImageData(0, first ?? 0, canvas.width, height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          const isNear = wanted
            .slice(0, 3)
            .every((channel, index) => Math.abs((data[at + index] ?? 0) - channel) < 6);
          if (isNear && data[at + 3] === 255) count += 1;
        }
        return count;
      });
      return Math.max(...counted);
    },
    [from, to] as const,
  );
}

it.each([
  { width: 1440, height: 900, theme: 'light' },
  { width: 390, height: 844, theme: 'dark' },
] as const)(
  'a recorded volume is drawn as bars below the floor, $width wide in the $theme theme',
  async (screen) => {
    const { page, context, troubles } = await visit('#/', screen);
    await withStatistics(page);
    await go(page, `${collection(APES)}?range=1d`);
    await page.getByRole('img', { name: /, volume in 1 day [\d.]+ ETH$/ }).waitFor();
    await page.getByText('volume in 1 day', { exact: true }).waitFor();

    await expect.poll(async () => await barPixels(page, 0.82, 1)).toBeGreaterThan(500);
    // Edges of letters may have the colour by chance.
    expect(await barPixels(page, 0, 0.5)).toBeLessThan(100);
    await page.getByRole('cell', { name: /^0.7926 ETH / }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(screen.width);
    expect(await violationsOn(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  },
);

it('the console is also served at "/app/", and an unknown address links to it', async () => {
  const { page, context } = await openPage(browser);

  await page.goto(`${url}/app/#key=${key}`);
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();
  const { pathname } = new URL(page.url());
  await go(page, '#/nothing');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  const violations = await violationsOn(page);
  await page.goto(`${url}/app/nothing`);
  await page.getByRole('link', { name: 'Open the console' }).click();
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();

  expect(pathname).toBe('/app');
  expect(violations).toEqual([]);
  await context.close();
});

it('after a collection is added on the overview, a link leads to the form for its first rule', async () => {
  await post('/v1/watchlists', { id: 'fresh', name: 'Fresh' });
  const { page, context, troubles } = await visit();

  await page.getByRole('button', { name: 'Add collection' }).click();
  await page.getByLabel('List').selectOption({ label: 'Fresh' });
  await page.getByLabel(/^Add a collection/).fill(APES);
  const violations = await violationsOn(page);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: /^New rule on/ }).click();
  await page.getByRole('heading', { name: /New rule/ }).waitFor();

  expect(new URL(page.url()).hash).toBe(`${collection(APES)}/rules/fresh/new`);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

const Mailbox = z.array(z.looseObject({ to: z.unknown() }));

it('an opened link shows who acknowledged its episode, the chart and a link to the console', async () => {
  await makeRule('linked', { when: 'above', threshold: '0.1', label: 'Linked' });
  const linkOf = async () => {
    const mails = Mailbox.parse(await (await ask('/local/mailbox')).json());
    const mail = mails
      .filter(({ to }) => to === 'desk@example.com')
      .map((one) => JSON.stringify(one))
      .find((text) => text.includes('Linked'));
    return /http[^"\s\\]*\/v1\/actions\/[\w.-]+/.exec(mail ?? '')?.[0] ?? '';
  };
  await expect.poll(linkOf, { timeout: 60_000, interval: 500 }).not.toBe('');
  const link = await linkOf();
  const { page, context, troubles } = await openPage(browser, { width: 390, height: 844 });
  await page.goto(link);
  await page.getByLabel(/Your name/).fill('Ada');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText('Acknowledged. No reminders').waitFor();

  await page.goto(link);
  await page.getByRole('heading', { name: 'Already acknowledged' }).waitFor();
  await page.getByText(/Acknowledged by Ada via email desk at/).waitFor();
  const chart = page.getByRole('img', { name: /^Chart/ });
  const widthOf = () => chart.evaluate((image) => (image as HTMLImageElement).naturalWidth);
  await expect.poll(widthOf).toBeGreaterThan(1000);
  const violations = await violationsOn(page);
  await page.getByRole('link', { name: 'Open in the console' }).click();
  await page.getByLabel('API key').waitFor();

  expect(page.url()).toBe(`${url}/app${collection(APES)}`);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});
