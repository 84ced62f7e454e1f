import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { violationsOn } from './accessibility.ts';
import { APES, CATS, expectTestToArrive, type OpenConsole, openConsole } from './console-stack.ts';

let opened: OpenConsole;

beforeAll(async () => {
  opened = await openConsole();
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const List = z.looseObject({
  name: z.string(),
  contracts: z.array(z.object({ contract: z.string(), name: z.string().optional() })),
  rules: z.array(z.looseObject({ id: z.string(), threshold: z.string() })),
  channels: z.array(z.unknown()),
  notify: z.unknown().optional(),
  timeZone: z.string().optional(),
  quiet: z.array(z.unknown()).optional(),
  report: z.unknown().optional(),
  escalate: z.unknown().optional(),
});

async function exported(list: string): Promise<z.output<typeof List>> {
  return List.parse(await (await opened.ask(`/v1/watchlists/${list}/export`)).json());
}

const RULE = { id: 'low', metric: 'floor_price', when: 'below', threshold: '9' };

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:alerts';

/** Time zone, quiet hours, report and escalation of a list. */
const TIMES = {
  timeZone: 'Europe/Berlin',
  quiet: [{ from: '22:00', to: '07:00', days: ['sat', 'sun'], severity: 'info' }],
  report: { every: 'mon', at: '08:00' },
  escalate: { after: '15m', to: ['chat'] },
};

/** A list with a rule, whose earlier state is in the audit log. */
async function makeList(id: string): Promise<void> {
  const channels = [
    { id: 'desk', kind: 'email', to: 'desk@example.com' },
    { id: 'chat', kind: 'slack', url: 'https://hooks.slack.com/services/T000/B000/s3cret' },
  ];
  const list = { id, name: `List ${id}`, contracts: [APES], channels, ...TIMES };
  await opened.post('/v1/watchlists', { ...list, rules: [RULE] });
  await opened.send('PUT', `/v1/watchlists/${id}/rules/low`, { ...RULE, threshold: '8' });
}

const PHONE = { width: 360, height: 740, hasTouch: true };

const section = (page: Page, name: string) => page.getByRole('region', { name });

it('a list is created, and its collections are added, renamed and removed', async () => {
  const { page, context, troubles } = await opened.visit('#/lists');

  await page.getByLabel('Name', { exact: true }).fill('By hand');
  await page.getByRole('button', { name: 'Create list' }).click();
  await page.getByRole('heading', { name: 'By hand', level: 1 }).waitFor();
  const collections = section(page, 'Collections');
  for (const contract of [APES, CATS]) {
    await collections.getByLabel(/^Add a collection/).fill(contract);
    await collections.getByRole('button', { name: 'Add' }).click();
    await collections.getByRole('listitem').filter({ hasText: contract }).waitFor();
  }
  const apes = collections.getByRole('listitem').filter({ hasText: APES });
  await apes.getByRole('button', { name: /^Edit/ }).click();
  await collections.getByLabel(/^Name in messages/).fill('My apes');
  await collections.getByRole('button', { name: 'Save', exact: true }).click();
  await collections.getByRole('link', { name: 'My apes', exact: true }).waitFor();
  const cats = collections.getByRole('listitem').filter({ hasText: CATS });
  await cats.getByRole('button', { name: 'Remove' }).click();
  const violations = await violationsOn(page);
  await cats.getByRole('button', { name: 'Remove it' }).click();
  await cats.waitFor({ state: 'detached' });
  const id = decodeURIComponent(page.url().split('/').at(-1) ?? '');

  expect((await exported(id)).contracts).toEqual([{ contract: APES, name: 'My apes' }]);
  await section(page, 'Changes').getByText('npm start').first().waitFor();
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a collection is compared with another of its list, and a rule on the ratio is created', async () => {
  const contracts = [
    { contract: APES, name: 'Apes' },
    { contract: CATS, name: 'Cats' },
  ];
  await opened.post('/v1/watchlists', { id: 'compared', name: 'Compared', contracts });
  const { page, context, troubles } = await opened.visit('#/lists/compared', PHONE);

  const collections = section(page, 'Collections');
  await collections.getByText('Compare with…').click();
  await collections.getByLabel('Collection', { exact: true }).selectOption('Apes');
  await collections.getByLabel('Compared with').selectOption('Cats');
  const violations = await violationsOn(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  await collections.getByRole('button', { name: 'Add comparison' }).click();
  await collections.getByRole('link', { name: 'New rule on Apes / Cats' }).click();
  await page.getByLabel('Threshold', { exact: true }).fill('0.0001');
  const measures = await page.getByLabel('Metric').locator('option').allTextContents();
  await page.getByRole('button', { name: 'Save rule' }).click();
  const ratio = section(page, 'Ratio over time').locator('.price strong');
  await ratio.filter({ hasText: /^\d+(\.\d+)?$/ }).waitFor();

  expect(measures[0]).toBe('floor ratio');
  expect(measures.slice(1).every((one) => /^relative floor price change/.test(one))).toBe(true);
  expect(await exported('compared')).toMatchObject({
    contracts: [...contracts, { contract: `${APES}~${CATS}` }],
    rules: [{ metric: 'floor_ratio', on: `${APES}~${CATS}`, threshold: '0.0001' }],
  });
  expect(violations).toEqual([]);
  expect(width).toBeLessThanOrEqual(PHONE.width);
  expect(troubles).toEqual([]);
  await context.close();
});

it('the console shows the error of the API if a collection is not added', async () => {
  await makeList('refused');
  const { page, context } = await opened.visit('#/lists/refused');

  await page.getByLabel(/^Add a collection/).fill(APES);
  await page.getByRole('button', { name: 'Add', exact: true }).click();

  await page
    .getByRole('alert')
    .filter({ hasText: /already/ })
    .waitFor();
  await context.close();
});

it('a list and its recipients are edited, and a conflict overwrites nothing without a confirmation', async () => {
  await makeList('edited');
  const { page, context } = await opened.visit('#/lists/edited');
  // The list escalates to this channel, so it receives other alerts only if the user chooses so.
  expect(await page.getByLabel('chat gets info alerts').isChecked()).toBe(false);
  await page.getByLabel('chat gets info alerts').check();
  await page.getByLabel('desk gets info alerts').uncheck();
  await page.getByLabel('Escalate after').fill('30m');
  await page.getByLabel('Name', { exact: true }).fill('Edited by me');
  await opened.send('PUT', '/v1/watchlists/edited/rules/low', { ...RULE, threshold: '7' });

  await page.getByRole('button', { name: 'Save settings' }).click();
  const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else changed this list' });
  await conflict.getByText(/Edited by me/).waitFor();
  const before = await exported('edited');
  const violations = await violationsOn(page);
  await conflict.getByRole('button', { name: 'Save mine' }).click();
  await page.getByRole('heading', { name: 'Edited by me', level: 1 }).waitFor();

  expect(before.name).toBe('List edited');
  expect(await exported('edited')).toMatchObject({
    ...{ name: 'Edited by me', notify: { info: ['chat'] }, ...TIMES },
    escalate: { after: '30m', to: ['chat'] },
    rules: [{ id: 'low', threshold: '7' }],
  });
  expect(violations).toEqual([]);
  await context.close();
});

it('a list starts and stops using a shared channel', async () => {
  await makeList('connected');
  await opened.post('/v1/channels', { id: 'night', kind: 'email', to: 'night@example.com' });
  const { page, context, troubles } = await opened.visit('#/lists/connected');
  const settings = page.getByRole('form', { name: 'Settings' });
  const save = settings.getByRole('button', { name: 'Save settings' });

  await settings.getByLabel('night', { exact: true }).check();
  await settings.getByLabel('night gets info alerts').uncheck();
  await save.click();
  await section(page, 'Changes').getByText('revision 3').waitFor();
  const using = await exported('connected');
  await settings.getByLabel('night', { exact: true }).uncheck();
  await save.click();
  await section(page, 'Changes').getByText('revision 4').waitFor();
  const after = await exported('connected');

  expect(using.channels).toContain('night');
  expect(using.notify).toEqual({ info: ['desk'] });
  expect(after.channels).toHaveLength(2);
  expect(after.rules).toEqual(using.rules);
  expect(await violationsOn(page)).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it("a list's own channels are tested, changed, added and removed", async () => {
  await makeList('own');
  await opened.send('PUT', '/v1/watchlists/own/rules/low', { ...RULE, notify: ['desk'] });
  const { page, context, troubles } = await opened.visit('#/lists/own');
  const own = section(page, 'Channels for List own only');
  const card = (text: string) => own.getByRole('listitem').filter({ hasText: text });

  await expectTestToArrive(card('chat'));
  await card('desk@example.com').getByRole('button', { name: 'Edit' }).click();
  await own.getByLabel('Address').fill('nobody');
  await own.getByRole('button', { name: 'Save channel' }).click();
  await own.getByText(/^expected an email address/i).waitFor();
  const violations = await violationsOn(page);
  await own.getByLabel('Address').fill('new@example.com');
  await own.getByRole('button', { name: 'Save channel' }).click();
  await card('new@example.com').getByRole('button', { name: 'Remove' }).click();
  await own.getByRole('button', { name: 'Yes, remove desk' }).click();
  await card('desk').getByRole('alert').filter({ hasText: 'the rule "low"' }).waitFor();
  await own.getByRole('button', { name: 'Add to this list only' }).click();
  await own.getByRole('radio', { name: 'SQS queue' }).check();
  await own.getByLabel('Name', { exact: true }).fill('robot');
  await own.getByLabel('Queue ARN').fill(QUEUE);
  await own.getByRole('button', { name: 'Add channel' }).click();
  await card('robot').getByRole('button', { name: 'Remove' }).waitFor();
  const added = await exported('own');
  await card('robot').getByRole('button', { name: 'Remove' }).click();
  await own.getByRole('button', { name: 'Yes, remove robot' }).click();
  await card('robot').waitFor({ state: 'detached' });

  expect(added.channels).toMatchObject([
    { id: 'desk', kind: 'email', to: 'new@example.com' },
    { id: 'chat', kind: 'slack', url: expect.stringMatching(/^kept:/) },
    { id: 'robot', kind: 'sqs', queue: QUEUE },
  ]);
  expect((await exported('own')).channels).toEqual(added.channels.slice(0, 2));
  expect(violations).toEqual([]);
  // The browser logs the refused requests.
  expect(troubles.filter((trouble) => !/400|409/.test(trouble))).toEqual([]);
  await context.close();
});

it('a second edit of the settings can be saved while the page still reloads the list after the first edit', async () => {
  await makeList('twice');
  const { page, context, troubles } = await opened.visit('#/lists/twice');
  const settings = page.getByRole('form', { name: 'Settings' });
  const save = settings.getByRole('button', { name: 'Save settings' });
  const zone = settings.getByLabel('Time zone');
  await zone.fill('Europe/Paris');
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/watchlists/twice', async (route) => {
    if (route.request().method() === 'GET') await promise;
    await route.continue();
  });

  await save.click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await zone.fill('Europe/Rome');
  await save.click();
  await section(page, 'Changes').getByText('revision 4').waitFor();
  release();

  expect(await exported('twice')).toMatchObject({ timeZone: 'Europe/Rome' });
  expect(await zone.inputValue()).toBe('Europe/Rome');
  expect(troubles).toEqual([]);
  await context.close();
});

it('time zone, quiet hours and report of a list are saved, and errors are shown at their fields', async () => {
  await makeList('timed');
  const { page, context, troubles } = await opened.visit('#/lists/timed');
  const settings = page.getByRole('form', { name: 'Settings' });
  const save = settings.getByRole('button', { name: 'Save settings' });

  await settings.getByLabel('Report', { exact: true }).selectOption('every day');
  await settings.getByLabel('Report at').fill('07:30');
  await settings.getByRole('button', { name: 'Add quiet hours' }).click();
  await settings.getByLabel('From').nth(1).fill('12:30');
  await settings.getByLabel('To', { exact: true }).nth(1).fill('13:00');
  await settings.getByLabel('Time zone').fill('Europe/Pariss');
  await save.click();
  await settings.getByText(/^expected a time zone/).waitFor();
  const violations = await violationsOn(page);
  const before = await exported('timed');
  await settings.getByLabel('Time zone').fill('Europe/Paris');
  await save.click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  const after = await exported('timed');
  await settings.getByLabel('Report', { exact: true }).selectOption('none');
  await settings.getByRole('button', { name: 'Remove' }).nth(1).click();
  await settings.getByRole('button', { name: 'Remove' }).click();
  await settings.getByLabel('Time zone').fill('');
  await save.click();
  await section(page, 'Changes').getByText('revision 4').waitFor();

  expect(before).toMatchObject(TIMES);
  expect(after).toMatchObject({
    ...{ timeZone: 'Europe/Paris', report: { every: 'day', at: '07:30' } },
    ...{ quiet: [...TIMES.quiet, { from: '12:30', to: '13:00' }], escalate: TIMES.escalate },
  });
  const last = await exported('timed');
  expect(last).not.toHaveProperty('timeZone');
  expect(last).not.toHaveProperty('quiet');
  expect(last).not.toHaveProperty('report');
  expect(last).toMatchObject({ escalate: TIMES.escalate });
  expect(violations).toEqual([]);
  // The browser logs the refused request.
  expect(troubles.filter((trouble) => !trouble.includes('400'))).toEqual([]);
  await context.close();
});

it('a change shows its differences, and the state before it is restored', async () => {
  await makeList('restored');
  const { page, context, troubles } = await opened.visit('#/lists/restored');
  const changes = section(page, 'Changes');

  const newest = changes.getByRole('listitem').filter({ hasText: 'revision 2' });
  await newest.getByRole('button', { name: 'Show what changed' }).click();
  await newest.getByText(/threshold 9 → 8/).waitFor();
  const first = changes.getByRole('listitem').filter({ hasText: 'revision 1' });
  await first.getByRole('button', { name: 'Show what changed' }).click();
  await first.getByRole('button', { name: 'Restore this version…' }).click();
  await first.getByText(/threshold 8 → 9/).waitFor();
  const violations = await violationsOn(page);
  const meanwhile = await exported('restored');
  await first.getByRole('button', { name: 'Restore', exact: true }).click();
  await changes.getByText('revision 3').waitFor();

  expect(meanwhile.rules[0]?.threshold).toBe('8');
  const restored = await exported('restored');
  expect(restored.rules[0]?.threshold).toBe('9');
  expect(restored.channels).toEqual(meanwhile.channels);
  expect(restored).toMatchObject(TIMES);
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a list is exported to a file, which is imported after a dry run', async () => {
  await makeList('kept');
  const { page, context, troubles } = await opened.visit('#/lists/kept');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  await opened.send('PUT', '/v1/watchlists/kept/rules/low', { ...RULE, threshold: '6' });

  await page.getByRole('link', { name: 'All lists' }).click();
  const file = { name: download.suggestedFilename(), mimeType: 'application/json' };
  await page.getByLabel(/^Exported list/).setInputFiles({ ...file, buffer: Buffer.from(text) });
  await page.getByLabel(/replaces the existing list/).waitFor();
  await page.getByRole('button', { name: 'Preview changes' }).click();
  await page.getByText(/threshold 6 → 8/).waitFor();
  const violations = await violationsOn(page);
  const before = await exported('kept');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'List kept', level: 1 }).waitFor();

  expect(file.name).toBe('kept.json');
  expect(before.rules[0]?.threshold).toBe('6');
  expect(JSON.parse(text)).toMatchObject(TIMES);
  expect(await exported('kept')).toEqual(JSON.parse(text));
  expect(violations).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
});

it('an invalid file is not imported, and its errors name the rule and member that they concern', async () => {
  const { page, context } = await opened.visit('#/lists');
  const bad = {
    name: 'Bad',
    contracts: [{ contract: APES, name: 'Apes' }],
    rules: [{ ...RULE, threshold: 'nine' }],
  };
  const file = { name: 'Bad list.json', mimeType: 'application/json' };
  const choose = async (text: string) => {
    await page.getByLabel(/^Exported list/).setInputFiles({ ...file, buffer: Buffer.from(text) });
    await page.getByRole('button', { name: 'Preview changes' }).click();
  };

  await choose(JSON.stringify(bad));
  await page
    .getByRole('alert')
    .getByText(/^rule low, threshold/)
    .waitFor();
  const violations = await violationsOn(page);
  const offered = await page.getByRole('button', { name: 'Import', exact: true }).count();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await choose('{');
  await page
    .getByRole('alert')
    .getByText(/expected a JSON document/)
    .waitFor();

  expect(offered).toBe(0);
  expect((await opened.ask('/v1/watchlists/bad-list')).status).toBe(404);
  expect(violations).toEqual([]);
  await context.close();
});

it('a list is deleted after a confirmation that shows the losses, and restored without its secrets', async () => {
  await makeList('gone');
  const { page, context } = await opened.visit('#/lists/gone');

  await page.getByRole('button', { name: 'Delete this list…' }).click();
  await page.getByText('with 1 collection, 1 rule and 2 channels').waitFor();
  const violations = await violationsOn(page);
  const stays = (await opened.ask('/v1/watchlists/gone')).status;
  await page.getByRole('button', { name: 'Delete “List gone”' }).click();
  await page.getByRole('heading', { name: 'Lists and changes' }).waitFor();
  await page.getByRole('region', { name: 'List gone' }).waitFor({ state: 'detached' });
  const after = (await opened.ask('/v1/watchlists/gone')).status;
  await page.getByRole('link', { name: 'gone', exact: true }).first().click();
  await page.getByText('There is no list “gone”').waitFor();
  const first = page.getByRole('listitem').filter({ hasText: 'revision 1' });
  await first.getByRole('button', { name: 'Show what changed' }).click();
  await first.getByRole('button', { name: 'Restore this version…' }).click();

  await first.getByText(/channel chat, url.*the full secret/).waitFor();
  expect([stays, after]).toEqual([200, 404]);
  expect(violations).toEqual([]);
  await context.close();
});

describe.each([
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 1280 },
] as const)('in the $theme theme, $width pixels wide,', ({ theme, width }) => {
  it('a list with all parts fits, and axe finds no accessibility violation', async () => {
    await makeList(`shown-${theme}`);
    const { page, context, troubles } = await opened.visit(`#/lists/shown-${theme}`, {
      theme,
      width,
    });
    const first = page.getByRole('listitem').filter({ hasText: 'revision 1' });
    await first.getByRole('button', { name: 'Show what changed' }).click();
    await first.getByRole('button', { name: 'Restore this version…' }).click();
    await first.getByRole('button', { name: 'Restore', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete this list…' }).click();
    await page.getByRole('button', { name: /^Edit/ }).first().click();

    const wide = await page.evaluate(() => document.documentElement.scrollWidth);

    expect(await violationsOn(page)).toEqual([]);
    expect(wide).toBeLessThanOrEqual(width);
    expect(troubles).toEqual([]);
    await context.close();
  });
});
