import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startLocalStack } from '#test/support/local-stack.ts';
import { violationsOn } from './accessibility.ts';
import { openBrowser, openPage } from './browser.ts';

const APES = 'eth:0x3df5befeaa137d8eaced6f3f24f068df11351857';
const CATS = 'eth:0x035ea1bd051cec6d178e892bb20cf4a0bff18560';
const HOSTILE = '<img src=x onerror="document.title=1"> & <b>Cats</b>';

let stack: ReturnType<typeof startLocalStack>;
let browser: Browser;
let url = '';
let key = '';

beforeAll(async () => {
  stack = startLocalStack(['--speed', '60', '--for', '20m']);
  const [{ value }, opened] = await Promise.all([stack.events.next(), openBrowser()]);
  if (value?.event !== 'ready') throw new Error('the stack did not get ready');
  ({ url, apiKey: key } = value);
  browser = opened;
  // Its lines are read, so that the stack is never kept waiting.
  void (async () => {
    for (let line = await stack.events.next(); line.done !== true; )
      line = await stack.events.next();
  })();
  await post('/v1/watchlists', {
    id: 'mine',
    name: 'Mine',
    contracts: [
      { contract: APES, name: 'Apes of mine' },
      { contract: CATS, name: HOSTILE },
    ],
    channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
  });
});
afterAll(async () => {
  await browser?.close();
  await stack?.[Symbol.asyncDispose]();
});

/** Asks the interface as a program does. */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(`${url}${path}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } });
}

async function post(path: string, body: unknown): Promise<void> {
  const { status } = await ask(path, { method: 'POST', body: JSON.stringify(body) });
  expect(status).toBe(201);
}

/** A rule on the floor of the apes that fires nowhere near. */
async function makeRule(id: string, more: object = {}): Promise<void> {
  const rule = { id, label: `Rule ${id}`, on: APES, metric: 'floor_price', when: 'below' };
  await post('/v1/watchlists/mine/rules', { ...rule, threshold: '9', ...more });
}

async function floorOf(contract: string): Promise<number> {
  const { parts } = Contract.parse(await (await ask(`/v1/contracts/${contract}`)).json());
  return Number(parts.find(({ part }) => part === 'floor')?.price);
}

const Contract = z.object({
  parts: z.array(z.object({ part: z.string(), price: z.string().nullable() })),
});
const RuleOfList = z.object({ rule: z.looseObject({ threshold: z.string() }) });

/** A visitor who has clicked on the link that `npm start` prints. */
async function visit(hash = '#/', screen: Parameters<typeof openPage>[1] = {}) {
  const opened = await openPage(browser, screen);
  await opened.page.goto(`${url}/app#key=${key}`);
  await opened.page.getByRole('link', { name: /Simulated Robots/ }).waitFor();
  if (hash !== '#/') await go(opened.page, hash);
  return opened;
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

const collection = (contract: string) => `#/collections/${encodeURIComponent(contract)}`;

/** Where the chart has its lowest line: there the pointer changes. */
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

it('is one click away: the root leads to it, and the key of the link is not left in the address', async () => {
  const { page, context, troubles } = await openPage(browser);

  await page.goto(`${url}/#key=${key}`);
  await page.getByRole('link', { name: /Simulated Robots/ }).waitFor();

  expect(new URL(page.url()).pathname).toBe('/app');
  expect(page.url()).not.toContain(key);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('shows what fires and how far each collection is from its lines', async () => {
  const { page, context, troubles } = await visit();

  await page.getByRole('link', { name: /Simulated Robots.*ETH.*line.*ETH/s }).waitFor();
  await page.getByText(/checked .* ago/).waitFor();
  await page.getByRole('searchbox', { name: 'Search collections' }).fill('robots');
  expect(await page.getByRole('main').getByRole('listitem').count()).toBe(1);
  expect(troubles).toEqual([]);
  await context.close();
});

it('makes a rule in a sentence, says what it would have sent, and it fires', async () => {
  const { page, context, troubles } = await visit(collection(APES));

  await page.getByRole('link', { name: 'New rule' }).click();
  await page.getByLabel('Condition').selectOption({ label: 'rises to or above' });
  await page.getByLabel(/^Threshold/).fill('1');
  await page.getByText(/It would have fired/).waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Name in messages').fill('Apes by hand');
  await page.getByRole('button', { name: 'Save rule' }).click();
  const rule = page.getByRole('listitem').filter({ hasText: 'Apes by hand' }).first();

  await rule.getByText('Firing').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('moves a line by dragging it, and the rule fires', async () => {
  await makeRule('dragged', { on: CATS, threshold: ((await floorOf(CATS)) * 0.4).toFixed(4) });
  const { page, context, troubles } = await visit(collection(CATS));
  const rule = page.getByRole('listitem').filter({ hasText: 'Rule dragged' }).first();
  await rule.getByText('OK').waitFor();

  const { x, y, top } = await lowestLine(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 40, { steps: 4 });
  await page.mouse.move(x, top + 4, { steps: 12 });
  await page.mouse.up();
  const field = page.getByLabel(/^Threshold of “Rule dragged”/);
  const dragged = Number(await field.inputValue());
  await page.getByRole('button', { name: 'Save line' }).click();

  expect(dragged).toBeGreaterThan(await floorOf(CATS));
  await rule.getByText('Firing').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('moves a line by the keyboard alone', async () => {
  await makeRule('typed');
  const { page, context } = await visit(collection(APES));
  const rule = page.getByRole('listitem').filter({ hasText: 'Rule typed' }).first();

  await rule.getByRole('button', { name: 'Move line' }).press('Enter');
  await page.getByLabel(/^Threshold of “Rule typed”/).fill('8.5');
  await page.getByLabel(/^Threshold of “Rule typed”/).press('Enter');

  await rule.getByText(/to 8.5 ETH/).waitFor();
  await context.close();
});

it('shows the difference where somebody else changed the rule meanwhile, and overwrites nothing unasked', async () => {
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

it('names what is wrong with a rule in the words of the interface', async () => {
  const { page, context } = await visit(`${collection(APES)}/rules/mine/new`);

  await page.getByLabel(/^Threshold/).fill('twelve');
  await page.getByRole('button', { name: 'Save rule' }).click();

  await page.getByRole('alert').filter({ hasText: '/threshold' }).first().waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await context.close();
});

it('acknowledges an episode, and says who got its alerts', async () => {
  await makeRule('known', { when: 'above', threshold: '1' });
  const { page, context, troubles } = await visit('#/alerts');
  const episode = page.getByRole('listitem').filter({ hasText: 'Rule known' }).first();
  await episode.getByText(/✓ *desk/).waitFor();

  await episode.getByRole('button', { name: 'Acknowledge' }).click();

  await episode.getByText('Acknowledged', { exact: true }).waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('snoozes a rule, and ends that', async () => {
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

it('tests a channel, and says that it arrived', async () => {
  const { page, context, troubles } = await visit('#/channels');
  const room = page.getByRole('listitem').filter({ hasText: 'room' }).first();

  await room.getByRole('button', { name: 'Send a test' }).click();

  await room.getByText('The test has arrived.').waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('makes a list, adds a collection to it, and shows who did', async () => {
  const { page, context, troubles } = await visit('#/lists');

  await page.getByLabel('Name', { exact: true }).fill('By hand');
  await page.getByRole('button', { name: 'Make list' }).click();
  const list = page.getByRole('region', { name: 'By hand' });
  await list.getByLabel(/^Add a collection/).fill(APES);
  await list.getByRole('button', { name: 'Add' }).click();

  await list.getByRole('listitem').waitFor();
  await page
    .getByRole('region', { name: 'Changes' })
    .getByText(/npm start/)
    .first()
    .waitFor();
  expect(troubles).toEqual([]);
  await context.close();
});

it('shows the text of strangers as text', async () => {
  const { page, context, troubles } = await visit(collection(CATS));

  await page.getByRole('heading', { name: /Cats/, level: 1 }).waitFor();

  const heading = await page.getByRole('heading', { level: 1 }).innerText();
  expect([HOSTILE, 'Simulated Cats']).toContain(heading);
  await go(page, '#/lists');
  await page.getByRole('link', { name: HOSTILE }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});

it('says that it is offline and what it last knew, and is live again', async () => {
  const { page, context } = await visit();

  await context.setOffline(true);
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
  await page.getByText(/shows what was known/).waitFor();
  const shown = await page.getByRole('link', { name: /Simulated Robots/ }).count();
  const violations = await violationsOn(page);
  await context.setOffline(false);

  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  expect(shown).toBe(1);
  expect(violations).toEqual([]);
  await context.close();
});

it('asks for a key in plain words where its own is not valid any more', async () => {
  const { page, context } = await visit();

  await page.route('**/v1/**', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-api-key': 'fw_revoked' } }),
  );
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByText('The key is not valid').waitFor();
  const violations = await violationsOn(page);
  await page.unroute('**/v1/**');
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Remember it on this device').check();
  await page.getByRole('button', { name: 'Show my collections' }).click();
  await page.getByRole('heading', { name: 'Alerts' }).waitFor();

  expect(violations).toEqual([]);
  expect(await page.evaluate(() => Object.values(localStorage))).toEqual([key]);
  await context.close();
});

it('asks every 15 seconds only for what has changed, and not at all while nobody looks', async () => {
  const { page, context } = await openPage(browser);
  await page.clock.install();
  const asked: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/overview')) asked.push(request.headers()['if-none-match']);
  });
  await page.goto(`${url}/app#key=${key}`);
  await page.getByRole('link', { name: /Simulated Robots/ }).waitFor();

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
  { name: 'collection', hash: collection(APES), shows: /What happened/ },
  { name: 'rule', hash: `${collection(APES)}/rules/mine/new`, shows: /The last 30 days/ },
  { name: 'alerts', hash: '#/alerts', shows: /list (demo|tour)/ },
  { name: 'channels', hash: '#/channels', shows: /Send a test/ },
  { name: 'lists', hash: '#/lists', shows: /Who changed what/ },
];

describe.each([
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
] as const)('in $theme, $width pixels wide,', ({ theme, width }) => {
  it.each(PAGES)('$name fits, and axe finds nothing', async ({ hash, shows }) => {
    const { page, context, troubles } = await visit(hash, { theme, width });
    await page.getByText(shows).first().waitFor();

    const wide = await page.evaluate(() => document.documentElement.scrollWidth);

    expect(await violationsOn(page)).toEqual([]);
    expect(wide).toBeLessThanOrEqual(width);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

it('axe finds nothing on the page that asks for a key, nor where nothing is there yet', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(`${url}/app`);
  await page.getByLabel('API key').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await context.close();
});
