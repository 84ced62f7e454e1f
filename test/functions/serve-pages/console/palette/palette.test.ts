import { expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { toCursor } from '#shared/http/cursor.ts';
import {
  modalDialogs,
  openTab,
  type Tab,
} from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  KEY,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type Lists = Answer<'GET /v1/watchlists'>;

const NEXT = toCursor('LIST#punks');
const [LIST] = example('GET /v1/watchlists').watchlists;
const [ROW] = example('GET /v1/overview').contracts;
const [EPISODE] = example('GET /v1/episodes').episodes;

function aList(id: string, name: string): Lists['watchlists'][number] {
  if (LIST === undefined) throw new Error('the document has no example');
  return { ...LIST, id, name };
}

/** Two lists. The second list is on the second page of lists. */
function twoLists(given: Parameters<typeof fakeInterface>[0] = {}, keys = { [KEY]: {} }) {
  const overview = example('GET /v1/overview');
  if (ROW === undefined) throw new Error('the document has no example');
  const apes = { ...ROW, contract: APES, name: 'Moonlit Apes', slug: 'moonlit' };
  return fakeInterface(
    {
      'GET /v1/overview': () => ({ ...overview, contracts: [apes, ROW] }),
      'GET /v1/watchlists': ({ query }) => ({
        ...example('GET /v1/watchlists'),
        ...(query.cursor === undefined
          ? { watchlists: [aList('punks', 'Punks')], cursor: NEXT }
          : { watchlists: [aList('whales', 'Whales')], cursor: null }),
      }),
      ...given,
    },
    keys,
  );
}

async function openPalette(backend: ReturnType<typeof fakeInterface>, hash = '#/lists') {
  const tab = await openTab(backend, { hash, equip: modalDialogs });
  await tab.press('/');
  await tab.pass(0);
  return tab;
}

const results = (tab: Tab) => tab.textsOf('[role=option] .found');
const SEARCH = 'Search, or type an action';
const ask = async (tab: Tab, text: string) => await tab.type(SEARCH, text);
const active = (tab: Tab) => {
  const { document } = tab.window;
  const id = document.querySelector('[role=combobox]')?.getAttribute('aria-activedescendant');
  return document.getElementById(id ?? '')?.querySelector('.found')?.textContent;
};

it.each([
  { query: 'moonlit', first: 'Moonlit Apes', leadsTo: `#/collections/${encodeURIComponent(APES)}` },
  { query: PUNKS.slice(4), first: 'CryptoPunks', leadsTo: '#/collections/' },
  { query: 'punks', first: 'Punks', leadsTo: '#/lists/punks' },
  { query: 'floor-60', first: 'floor price below 60', leadsTo: '/rules/punks/floor-60' },
  { query: 'chan', first: 'Channels', leadsTo: '#/channels' },
  { query: 'new rule moon', first: 'New rule on Moonlit Apes', leadsTo: '/rules/punks/new' },
])('the palette finds $first for "$query"', async ({ query, first, leadsTo }) => {
  const tab = await openPalette(twoLists());
  await ask(tab, query);
  const [found] = results(tab);
  // jsdom cannot draw the chart of a collection page.
  const { document } = tab.window;
  const visited: string[] = [];
  tab.window.addEventListener('hashchange', (event) => event.stopImmediatePropagation(), true);
  await tab.press('Enter');
  visited.push(tab.address());

  expect(found).toBe(first);
  expect(visited[0]).toContain(leadsTo);
  expect(document.querySelector('dialog')).toBeNull();
});

it('the palette finds a collection by its name in a list, even beyond the first page of the overview', async () => {
  const far = {
    contract: 'eth:0x0000000000000000000000000000000000000001',
    name: 'Far Birds',
  } as const;
  const backend = twoLists({
    'GET /v1/watchlists': () => ({
      ...example('GET /v1/watchlists'),
      watchlists: [
        { ...aList('punks', 'Punks'), contracts: [{ contract: PUNKS, name: 'Ten K' }, far] },
      ],
    }),
  });
  const tab = await openPalette(backend);
  await ask(tab, 'far birds');
  const unseen = results(tab);
  await ask(tab, 'ten k');

  expect(unseen.slice(0, 2)).toEqual(['Far Birds', 'New rule on Far Birds']);
  expect(results(tab)[0]).toBe('CryptoPunks');
});

it('the palette opens by Ctrl-K, even in a field, and by its button', async () => {
  const tab = await openTab(twoLists(), { equip: modalDialogs });
  tab.window.document.querySelector<HTMLElement>('input[type=search]')?.focus();
  tab.window.document.activeElement?.dispatchEvent(
    new tab.window.KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }),
  );
  await tab.pass(0);
  const byKey = results(tab).length;
  tab.window.document.querySelector('dialog')?.close();
  await tab.pass(0);
  const closed = results(tab).length;
  await tab.click('Search or run an action');

  expect(byKey).toBeGreaterThan(0);
  expect(closed).toBe(0);
  expect(results(tab).length).toBe(byKey);
});

it('arrow keys move the active result, and wrap around at both ends', async () => {
  const tab = await openPalette(twoLists());
  const all = results(tab);
  const seen = [active(tab)];
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) {
    await tab.press(key);
    seen.push(active(tab));
  }

  expect(seen).toEqual([all[0], all[1], all[0], all.at(-1)]);
});

it('a chosen result stays chosen when a later answer adds results above it', async () => {
  const late = Promise.withResolvers<Answer<'GET /v1/episodes'>>();
  const tab = await openPalette(twoLists({ 'GET /v1/episodes': () => late.promise }));
  await tab.press('ArrowDown');
  const chosen = active(tab);
  late.resolve(example('GET /v1/episodes'));
  await tab.pass(0);

  expect(results(tab)[0]).toBe('Acknowledge all firing alerts');
  expect(active(tab)).toBe(chosen);
});

it('"Mute everything" asks for a confirmation, then mutes each list for an hour', async () => {
  const backend = twoLists();
  const tab = await openPalette(backend);
  await ask(tab, 'mute all');
  await tab.press('Enter');
  const before = backend.asked('POST /v1/watchlists/{watchlist}/mutes').length;
  const focused = tab.window.document.activeElement?.textContent;
  await tab.click('Mute everything');

  expect([before, focused]).toEqual([0, 'Cancel']);
  expect(tab.text()).toContain('Muted for 1 h: 2 lists.');
  const mutes = backend.asked('POST /v1/watchlists/{watchlist}/mutes');
  expect(mutes.map(({ path, body }) => [path.watchlist, body])).toEqual([
    ['punks', { for: '1h' }],
    ['whales', { for: '1h' }],
  ]);
});

it('"Mute everything" names the lists that could not be muted, and stays open', async () => {
  const backend = twoLists({
    'POST /v1/watchlists/{watchlist}/mutes': ({ path }) =>
      path.watchlist === 'whales'
        ? refusal('there are 100 mutes', { type: 'conflict' })
        : example('POST /v1/watchlists/{watchlist}/mutes'),
  });
  const tab = await openPalette(backend);
  await ask(tab, 'mute all');
  await tab.press('Enter');
  await tab.click('Mute everything');

  expect(tab.textsOf('dialog [role=alert]')).toEqual([
    '1 succeeded, 1 failed:Whales: there are 100 mutes',
  ]);
});

it('"Mute everything" mutes nothing if the lists cannot be read', async () => {
  const backend = twoLists();
  const tab = await openPalette(backend);
  await ask(tab, 'mute all');
  await tab.press('Enter');
  backend.reach(false);
  await tab.click('Mute everything');

  expect(tab.text()).toContain('Nothing was changed: the server cannot be reached.');
});

it('"Unmute everything" ends only the mutes of whole lists', async () => {
  const [mute] = example('GET /v1/watchlists/{watchlist}/mutes').mutes;
  if (mute === undefined) throw new Error('the document has no example');
  const whole = { ...mute, rule: null, contract: null, severity: null };
  const backend = twoLists({
    'GET /v1/watchlists/{watchlist}/mutes': ({ path }) => ({
      mutes: [
        { ...whole, id: `all-${path.watchlist}` },
        { ...whole, id: 'rule', rule: 'floor-60' },
        { ...whole, id: 'contract', contract: APES },
        { ...whole, id: 'severity', severity: 'info' as const },
      ],
    }),
  });
  const tab = await openPalette(backend);
  await ask(tab, 'unmute');
  await tab.press('Enter');
  await tab.click('Unmute everything');

  const ended = backend.asked('DELETE /v1/watchlists/{watchlist}/mutes/{mute}');
  expect(ended.map(({ path }) => path.mute)).toEqual(['all-punks', 'all-whales']);
  expect(tab.text()).toContain('Unmuted: 2 lists.');
});

it('"Acknowledge all firing alerts" acknowledges those of all pages, and no others', async () => {
  if (EPISODE === undefined) throw new Error('the document has no example');
  const at = '2026-11-21T12:03:00.000Z';
  const acknowledged = { at, by: null, silences: 'reminders' as const, note: null };
  const page = (cursor: string | null, ...episodes: readonly (typeof EPISODE)[]) => ({
    ...example('GET /v1/episodes'),
    episodes: [...episodes],
    cursor,
  });
  const backend = twoLists({
    'GET /v1/episodes': ({ query }) =>
      query.cursor === undefined
        ? page('next', EPISODE, { ...EPISODE, self: '/other', acknowledged })
        : page(null, { ...EPISODE, watchlist: 'whales' }),
  });
  const tab = await openPalette(backend);
  await ask(tab, 'ack');
  await tab.press('Enter');
  await tab.click('Acknowledge all');

  const done = backend.asked('POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge');
  expect(done.map(({ path }) => path.watchlist)).toEqual(['punks', 'whales']);
  expect(tab.text()).toContain('Acknowledged: 2 alerts.');
});

it('"New rule on …" asks for the collection, and Backspace returns to the first step', async () => {
  const tab = await openPalette(twoLists());
  await ask(tab, 'new rule on …');
  await tab.press('Enter');
  const asked = results(tab);
  await tab.press('Backspace');

  expect(asked).toEqual(['New rule on Moonlit Apes', 'New rule on CryptoPunks']);
  expect(results(tab)).toContain('Channels');
});

it('"Add collection" opens the form on the overview', async () => {
  const tab = await openPalette(twoLists());
  await ask(tab, 'add');
  await tab.press('Enter');

  expect(tab.textsOf('section')).toContain('Add collection');
});

it('with a key that may only view, the palette finds collections and pages, but no actions', async () => {
  const backend = twoLists(
    { 'GET /v1/watchlists': () => refusal('expected the scope read', { type: 'forbidden' }) },
    { [KEY]: { may: ['view'] } },
  );
  const tab = await openPalette(backend, '#/alerts');

  expect(tab.textsOf('[role=option] .what')).not.toContain('Action');
  expect(results(tab)).toEqual(
    expect.arrayContaining(['Overview', 'Keyboard shortcuts', 'Moonlit Apes']),
  );
  expect(results(tab)).not.toContain('Operations');
});

it('a query without results shows a message', async () => {
  const tab = await openPalette(twoLists());
  await ask(tab, 'zebra');

  expect(tab.text()).toContain('No results for “zebra”');
});
