import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTab, type Tab } from '#test/functions/serve-pages/console/console-tab.ts';
import { fakeChart } from '#test/functions/serve-pages/console/fake-chart.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { PUNKS } from '#test/support/builders.ts';

const SECOND = 1000;

beforeEach(() => void fakeChart());
afterEach(() => vi.doUnmock('lightweight-charts'));

const COLLECTION = `#/collections/${encodeURIComponent(PUNKS)}`;

/** The pages of the console, with a text that each shows in normal operation. */
const PAGES = [
  { hash: '#/', shows: 'CryptoPunks' },
  { hash: '#/alerts', shows: 'CryptoPunks below 60 ETH' },
  { hash: '#/channels', shows: 'desk' },
  { hash: '#/lists', shows: 'Punks' },
  { hash: '#/lists/punks', shows: 'revision' },
  { hash: '#/operations', shows: 'To see and create keys' },
  { hash: COLLECTION, shows: 'Move line' },
  { hash: `${COLLECTION}/rules/punks/floor-60`, shows: 'Save' },
] as const;

const noAnswer = () => Promise.withResolvers<never>().promise;
type Backend = ReturnType<typeof fakeInterface>;

/** Failures of requests, with the status and the reason that the console shows. */
const TROUBLES = [
  {
    trouble: 'no connection',
    status: 'Offline',
    reason: 'You are offline.',
    answer: () => Promise.reject(new TypeError('fetch failed')),
  },
  {
    trouble: 'a server error',
    status: 'Error',
    reason: 'The request could not be handled; try again.',
    answer: async () =>
      refusal('The request could not be handled; try again.', { type: 'internal' }),
  },
  {
    trouble: 'a proxy page instead of a response',
    status: 'Error',
    reason: 'The server returned an error (status 502). Try again later.',
    answer: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  },
  {
    trouble: 'too many requests',
    status: 'Error',
    reason: 'too many',
    answer: async () => refusal('too many', { type: 'throttled' }),
  },
  {
    trouble: 'a slow response',
    status: 'Slow',
    reason: 'The server is slow to respond.',
    answer: noAnswer,
  },
] as const;

const BOTH = PAGES.flatMap((page) => TROUBLES.map((trouble) => ({ ...page, ...trouble })));

/** A backend whose answers can all be replaced by a failure. */
function troubled(backend: Backend) {
  let instead: (() => Promise<Response>) | undefined;
  const fetch: Backend['fetch'] = async (url, init) =>
    instead === undefined ? await backend.fetch(url, init) : await instead();
  return {
    backend: { ...backend, fetch },
    trouble: (answer: (() => Promise<Response>) | undefined) => {
      instead = answer;
    },
  };
}

const statusOf = (tab: Tab) => tab.textsOf('.connection [role=status]');

it.each(BOTH)(
  'the page $hash with $trouble shows its last state and the age of that state, and recovers by a retry',
  async (given) => {
    const { hash, shows, status, reason, answer } = given;
    const { backend, trouble } = troubled(fakeInterface());
    const tab = await openTab(backend, { hash });
    const before = statusOf(tab);

    trouble(answer);
    // The page is left, and opened again while no request is answered.
    await tab.open('#/nowhere');
    await tab.pass(60 * SECOND);
    await tab.open(hash);
    await tab.pass(6 * SECOND);
    const shown = [tab.text(), ...statusOf(tab)];
    trouble(undefined);
    await tab.click('Try again');

    expect(before).toEqual(['Live']);
    expect(shown[1]).toBe(status);
    expect(shown[0]).toContain(shows);
    expect(shown[0]).not.toMatch(/Not loaded|Waiting/);
    expect(shown[0]).toContain(`${reason} Last update: 1 min ago.`);
    expect(statusOf(tab)).toEqual(['Live']);
    expect(tab.has('Try again')).toBe(false);
  },
);

it.each(BOTH)(
  'the page $hash opened with $trouble shows the reason instead of data, and loads by a retry',
  async (given) => {
    const { hash, shows, status, reason, answer } = given;
    const { backend, trouble } = troubled(fakeInterface());
    trouble(answer);
    const tab = await openTab(backend, { hash });
    await tab.pass(6 * SECOND);
    const [text, ...shown] = [tab.text(), ...statusOf(tab)];
    trouble(undefined);
    await tab.click('Try again');

    expect(shown).toEqual([status]);
    expect(text).toContain(reason);
    expect(text).toMatch(/Not loaded: |The server is slow/);
    expect(text).not.toMatch(/Loading…|Last update:/);
    expect(tab.text()).toContain(shows);
    expect(statusOf(tab)).toEqual(['Live']);
  },
);

it('a request without a response is given up after half a minute', async () => {
  const backend = fakeInterface({ 'GET /v1/overview': noAnswer });
  const tab = await openTab(backend);

  await tab.pass(31 * SECOND);
  const givenUp = statusOf(tab);
  backend.reply({ 'GET /v1/overview': () => example('GET /v1/overview') });
  await tab.pass(16 * SECOND);

  expect(givenUp).toEqual(['Offline']);
  expect(tab.text()).toContain('CryptoPunks');
  expect(statusOf(tab)).toEqual(['Live']);
});

it('the loss of the network is shown at once, without a request', async () => {
  const tab = await openTab(fakeInterface());

  tab.window.dispatchEvent(new tab.window.Event('offline'));
  await tab.pass(0);

  expect(statusOf(tab)).toEqual(['Offline']);
  expect(tab.text()).toContain('Last update: 0 s ago.');
});

it('the connection status is "Connecting…" until the first response', async () => {
  const tab = await openTab(
    fakeInterface({ 'GET /v1/overview': noAnswer, 'GET /v1/key': noAnswer }),
  );

  expect(statusOf(tab)).toEqual(['Connecting…']);
});

it('data that another key has loaded are not shown', async () => {
  const { backend, trouble } = troubled(fakeInterface({}, { fw_desk: {}, fw_wall: {} }));
  const tab = await openTab(backend, { hash: '#/alerts' });
  await tab.open('#/');
  await tab.click('Sign out');

  trouble(TROUBLES[0].answer);
  await tab.type('API key or sign-in link', 'fw_wall');
  await tab.click('Sign in');
  await tab.pass(6 * SECOND);

  expect(tab.text()).toContain('Not loaded');
  expect(tab.text()).not.toContain('CryptoPunks');
});

it('the ages of prices grow while no request is answered', async () => {
  const { backend, trouble } = troubled(fakeInterface());
  const tab = await openTab(backend);
  const before = tab.textsOf('.name .small');

  trouble(TROUBLES[0].answer);
  await tab.pass((10 * 60 + 5) * SECOND);

  expect([before, tab.textsOf('.name .small')]).toEqual([['35 min ago'], ['45 min ago']]);
});

it('an edit of a rule that began with an old state is refused if the rule has changed since', async () => {
  const RULE = 'GET /v1/watchlists/{watchlist}/rules/{rule}';
  const { backend, trouble } = troubled(fakeInterface());
  const hash = `${COLLECTION}/rules/punks/floor-60`;
  const tab = await openTab(backend, { hash });
  await tab.open('#/lists');
  trouble(TROUBLES[0].answer);
  await tab.open(hash);
  trouble(undefined);
  const read = example(RULE);
  backend.reply({ [RULE]: () => ({ ...read, rule: { ...read.rule, label: 'of somebody else' } }) });
  await tab.click('Try again');
  const [first] = backend.asked(RULE);
  await tab.click(/^Save/);

  const [put] = backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}');
  expect(first?.ifNoneMatch).toBeNull();
  expect(put?.ifMatch).toBe(backend.asked(RULE).at(-1)?.ifNoneMatch);
});
