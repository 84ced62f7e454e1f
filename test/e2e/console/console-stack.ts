import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startLocalStack } from '#test/support/local-stack.ts';
import { openBrowser, openPage } from './browser.ts';

export const APES = 'eth:0x3df5befeaa137d8eaced6f3f24f068df11351857';
export const CATS = 'eth:0x035ea1bd051cec6d178e892bb20cf4a0bff18560';
export const HOSTILE = '<img src=x onerror="document.title=1"> & <b>Cats</b>';

type Screen = Parameters<typeof openPage>[1];

/** A local stack that runs for twenty minutes, and a browser. */
export async function openStack(options: readonly string[]) {
  const stack = startLocalStack([...options, '--for', '20m']);
  const [{ value }, browser] = await Promise.all([stack.events.next(), openBrowser()]);
  if (value?.event !== 'ready') throw new Error('the stack did not get ready');
  const { url, apiKey: key } = value;
  // Reads the output continuously, so that the stack never blocks.
  void (async () => {
    for (let line = await stack.events.next(); line.done !== true; )
      line = await stack.events.next();
  })();
  return {
    ...{ browser, url, key },

    /** Ends the stack, but not the browser. */
    stop: async () => await stack[Symbol.asyncDispose](),

    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** A stack with a list, and a browser for its console. */
export async function openConsole() {
  const opened = await openStack(['--tour', '--speed', '60']);
  const { url, key, browser } = opened;

  /** Sends a request to the API. */
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    await fetch(`${url}${path}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } });
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const headers = method === 'POST' ? {} : { 'If-Match': '*' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { ok, status } = await ask(path, { method, headers, ...sent });
    expect(ok, `${method} ${path}: ${status}`).toBe(true);
  };
  const post = async (path: string, body: unknown) => await send('POST', path, body);

  await post('/v1/watchlists', {
    id: 'mine',
    name: 'Mine',
    contracts: [
      { contract: APES, name: 'Apes of mine' },
      { contract: CATS, name: HOSTILE },
    ],
    channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
  });

  return {
    ...opened,
    ...{ ask, send, post },

    /** Creates a rule on the floor of the apes that is far from firing. */
    makeRule: async (id: string, more: object = {}): Promise<void> => {
      const rule = { id, label: `Rule ${id}`, on: APES, metric: 'floor_price', when: 'below' };
      await post('/v1/watchlists/mine/rules', { ...rule, threshold: '9', ...more });
    },

    /** A visitor who has opened the link that `npm start` prints. */
    visit: async (hash = '#/', screen: Screen = {}) => {
      const visit = await openPage(browser, screen);
      await visit.page.goto(`${url}/app#key=${key}`);
      await visit.page.getByRole('link', { name: /Rusty Robots/ }).waitFor();
      if (hash !== '#/') await go(visit.page, hash);
      return visit;
    },
  };
}

export type OpenConsole = Awaited<ReturnType<typeof openConsole>> & { readonly browser: Browser };

/** Follows a link within the console. */
export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

/**
 * Sends a test with the button on the card of a channel, and expects it to arrive. Otherwise the
 * failure contains the result that the card shows.
 */
export async function expectTestToArrive(card: Locator): Promise<void> {
  await card.getByRole('button', { name: 'Send a test' }).click();
  const result = () => card.getByRole('status').innerText();
  await expect.poll(result, { timeout: 100_000 }).toBe('The test has arrived.');
}
