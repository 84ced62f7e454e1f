import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { pushDouble } from '#shared/channels/push/double.ts';
import type { PushMessage } from '#shared/channels/push/message.ts';
import { violationsOn } from './accessibility.ts';
import { openPage } from './browser.ts';
import { APES, expectTestToArrive, type OpenConsole, openConsole } from './console-stack.ts';

const { p256dh, auth } = pushDouble.channel;
const ENDPOINT = `https://fcm.googleapis.com/fcm/send/${'browser'.repeat(10)}`;

let opened: OpenConsole;
let context: BrowserContext;
let page: Page;
let troubles: readonly string[];

beforeAll(async () => {
  opened = await openConsole();
  ({ context, page, troubles } = await openPage(opened.browser, { isApp: true }));
  await context.grantPermissions(['notifications']);
  // Push services are unreachable here, so the browser gets the subscription of the fake device.
  await context.addInitScript(
    ([endpoint, keys]) => {
      const subscription = { endpoint, options: {}, toJSON: () => ({ endpoint, keys }) };
      PushManager.prototype.getSubscription = async () => null;
      PushManager.prototype.subscribe = async () => subscription as unknown as PushSubscription;
    },
    [ENDPOINT, { p256dh, auth }] as const,
  );
  await page.goto(`${opened.url}/app`);
  await page.getByLabel('API key or sign-in link').fill(opened.key);
  await page.getByLabel(/Remember/).check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

/** The messages that the fake device has decrypted, newest last. */
async function received(): Promise<readonly PushMessage[]> {
  const mailbox = await (await opened.ask('/local/mailbox')).json();
  return Mailbox.parse(mailbox).flatMap(({ kind, message }) =>
    kind === 'push' ? [message as PushMessage] : [],
  );
}
const Mailbox = z.array(z.object({ kind: z.string(), message: z.unknown().optional() }));

async function registrationOf(session: CDPSession): Promise<string> {
  const registered = Promise.withResolvers<string>();
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [registration] = registrations;
    if (registration !== undefined) registered.resolve(registration.registrationId);
  });
  await session.send('ServiceWorker.enable');
  return await registered.promise;
}

async function deliver(message: PushMessage): Promise<void> {
  const session = await context.newCDPSession(page);
  const registrationId = await registrationOf(session);
  const data = JSON.stringify(message);
  await session.send('ServiceWorker.deliverPushMessage', {
    ...{ origin: opened.url, registrationId, data },
  });
}

async function worker(): Promise<Worker> {
  return context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
}

type Shown = PushMessage['options'] & { readonly title: string };

/** The service worker in these tests, with the notifications that it shows. */
type Scope = {
  readonly registration: {
    showNotification: (title: string, options: PushMessage['options']) => Promise<void>;
  };
  readonly dispatchEvent: (event: Event) => boolean;
  shown?: Map<string, Shown>;
};

/**
 * The headless browser denies notifications to workers. So the worker records them instead, and
 * replaces a notification with the same tag.
 */
async function noteNotifications(): Promise<void> {
  await (await worker()).evaluate(() => {
    const scope = self as unknown as Scope;
    const shown = new Map<string, Shown>();
    scope.shown = shown;
    scope.registration.showNotification = async (title, options) => {
      shown.set(options.tag, { title, ...options });
    };
  });
}

async function notifications(): Promise<readonly Shown[]> {
  return await (await worker()).evaluate(() => [
    ...((self as unknown as Scope).shown?.values() ?? []),
  ]);
}

/** Presses a button of the only notification, and waits for the effect in the worker. */
async function press(action: string): Promise<void> {
  await (await worker()).evaluate(async (pressed) => {
    const scope = self as unknown as Scope;
    const [notification] = scope.shown?.values() ?? [];
    if (notification === undefined) throw new Error('no notification is shown');
    const { data, tag } = notification;
    const work: Promise<unknown>[] = [];
    const event = Object.assign(new Event('notificationclick'), {
      ...{ action: pressed, notification: { data, close: () => scope.shown?.delete(tag) } },
      waitUntil: (promise: Promise<unknown>) => work.push(promise),
    });
    scope.dispatchEvent(event);
    await Promise.all(work);
  }, action);
}

it('the browser can install the console as an app', async () => {
  const session = await context.newCDPSession(page);
  await (await worker()).evaluate(() => undefined);

  const { errors, url } = await session.send('Page.getAppManifest');
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');

  expect({ errors, url }).toEqual({ errors: [], url: `${opened.url}/app/manifest.webmanifest` });
  // The browser treats the pages of a test as a private window.
  const expected = [{ errorId: 'in-incognito', errorArguments: [] }];
  expect(installabilityErrors.filter(({ errorId }) => errorId !== expected[0]?.errorId)).toEqual(
    [],
  );
});

it('this device becomes a channel, and a test arrives encrypted', async () => {
  await page.evaluate(() => {
    location.hash = '#/channels';
  });
  await page.getByRole('button', { name: 'Notify this device' }).click();
  const card = page.getByRole('listitem').filter({ hasText: /on-linux/ });
  await card.getByText('Push', { exact: true }).waitFor();
  const violations = await violationsOn(page);

  await expectTestToArrive(card);

  expect((await received()).map(({ title }) => title)).toContainEqual(
    expect.stringMatching(/^🔵 Sample: /),
  );
  expect(violations).toEqual([]);
  await page.getByRole('button', { name: 'Notify this device' }).click();
  await page.getByText(/^This device already gets notifications, as /).waitFor();
  expect(await page.content()).not.toContain(ENDPOINT);
});

it('a notification has its picture and buttons, and a button acknowledges the episode', async () => {
  const { channels } = Channels.parse(await (await opened.ask('/v1/channels')).json());
  const id = channels.find(({ kind }) => kind === 'push')?.id ?? '';
  await opened.post('/v1/watchlists', {
    ...{ id: 'pushed', name: 'Pushed', contracts: [{ contract: APES, name: 'Apes' }] },
    rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '900', recover: '1000' }],
    channels: [id],
  });
  const fired = async () =>
    (await received()).find(({ title }) => /Apes.* below 900 ETH/.test(title));
  await vi.waitUntil(fired, { timeout: 60_000, interval: 200 });
  const message = await fired();
  if (message === undefined) throw new Error('no alert came');

  await noteNotifications();
  await deliver(message);
  await vi.waitUntil(async () => (await notifications()).length === 1, { timeout: 10_000 });

  const { title, options } = message;
  const files = `${opened.url}/app`;
  expect(options.image).toMatch(/\/v1\/charts\/.*\.png$/);
  expect(options.actions.map((action) => action.title)).toEqual(['Acknowledge', 'Snooze 1 h']);
  expect(await notifications()).toEqual([
    {
      ...{ title, ...options },
      ...{ icon: `${files}/icon-192.png`, badge: `${files}/badge-96.png` },
    },
  ]);

  await press('acknowledge');

  const acknowledged = async () => {
    const answer = await opened.ask('/v1/watchlists/pushed/watches');
    return JSON.stringify(await answer.json()).includes(`link:${id}`);
  };
  await vi.waitUntil(acknowledged, { timeout: 20_000, interval: 200 });
  expect(await notifications()).toEqual([]);
});

const Channels = z.object({
  channels: z.array(z.looseObject({ id: z.string(), kind: z.string() })),
});

it('a notification replaces the earlier notification of its episode, and recoveries are silent', async () => {
  const of = (title: string, rings: boolean): PushMessage => ({
    title,
    options: {
      ...{ body: title, tag: 'episode-1', actions: [], data: { address: null } },
      ...{ renotify: rings, silent: !rings },
    },
  });
  await noteNotifications();

  await deliver(of('Apes below 9 ETH', true));
  await vi.waitUntil(async () => (await notifications()).length === 1, { timeout: 10_000 });
  await deliver(of('Apes recovered', false));
  await vi.waitUntil(
    async () => (await notifications()).some(({ title }) => title === 'Apes recovered'),
    { timeout: 10_000 },
  );

  expect(await notifications()).toMatchObject([{ title: 'Apes recovered', silent: true }]);
});

it('the console opens without a connection, with its last known state, until the user signs out', async () => {
  await page.goto(`${opened.url}/app#/`);
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();
  expect(troubles).toEqual([]);
  await opened.stop();

  await page.reload();
  await page.getByRole('link', { name: /Rusty Robots/ }).waitFor();
  await page.getByText('Offline', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key or sign-in link').waitFor();

  const kept = () => page.evaluate(async () => (await caches.keys()).join());
  await vi.waitUntil(async () => !(await kept()).includes('answers-'), { timeout: 10_000 });
  expect(await kept()).toMatch(/^shell-[0-9a-f]{16}$/);
});
