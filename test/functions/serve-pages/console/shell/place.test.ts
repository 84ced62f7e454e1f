import { expect, it } from 'vitest';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import { fakeInterface, refusal } from '#test/functions/serve-pages/console/fake-interface.ts';

it('the address selects the page', async () => {
  const tab = await openTab(fakeInterface(), { hash: '#/lists/punks' });
  const list = tab.textsOf('h1');
  await tab.open('#/channels');
  const other = tab.textsOf('h1');
  await tab.back();

  expect([list, other, tab.textsOf('h1')]).toEqual([['Punks'], ['Channels'], ['Punks']]);
});

it.each([
  ...['#/nothing/like/that', '#/collections', '#/collections/eth:0x1/chart', '#/lists/punks/rules'],
  ...['#/collections/eth:0x1/watches/punks/floor-60', '#/alerts/1', '#/channels/desk'],
])('an unknown address shows a message, and a link to the overview: %s', async (hash) => {
  const tab = await openTab(fakeInterface(), { hash });
  const unknown = tab.textsOf('h1');

  await tab.click('Go to the overview');

  expect(unknown).toEqual(['Page not found']);
  expect(tab.textsOf('h1')).toEqual(['Overview']);
});

it.each([
  { hash: '#/collections/eth:0x1', shows: 'None of your lists contains the collection eth:0x1.' },
  { hash: '#/lists/nothing', shows: 'There is no list “nothing”.' },
  {
    hash: '#/collections/eth:0x1/rules/punks/nothing',
    shows: 'The list “punks” has no rule “nothing”.',
  },
])('the address of a missing resource shows a message: $hash', async ({ hash, shows }) => {
  const missing = () => refusal('there is no such thing', { type: 'not_found' });
  const tab = await openTab(
    fakeInterface({
      'GET /v1/contracts/{contract}': missing,
      'GET /v1/watchlists/{watchlist}': missing,
      'GET /v1/watchlists/{watchlist}/rules/{rule}': missing,
    }),
    { hash },
  );

  expect(tab.text()).toContain(shows);
  expect(tab.text()).not.toContain('Loading');
});

it('the navigation marks the current page, and moves the focus to its content', async () => {
  const tab = await openTab(fakeInterface());

  await tab.click('Lists');

  expect(tab.textsOf('[aria-current=page]')).toEqual(['Lists']);
  expect(tab.window.document.activeElement?.id).toBe('content');
});

it('an address with a malformed percent encoding is read literally', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend, { hash: '#/lists/100%' });

  expect(backend.asked('GET /v1/watchlists/{watchlist}')[0]?.path.watchlist).toBe('100%');
  expect(tab.text()).not.toContain('Offline');
});

it('changing one choice in the address keeps the others, and clearing one removes it', async () => {
  const tab = await openTab(fakeInterface(), { hash: '#/?sort=name&search=punks' });

  await tab.choose('Show', 'firing');
  const chosen = tab.address();
  await tab.choose('Show', 'All states');

  expect(chosen).toBe('/prod/app#/?sort=name&search=punks&state=firing');
  expect(tab.address()).toBe('/prod/app#/?sort=name&search=punks');
});

it('typing into a search adds no history entries', async () => {
  const tab = await openTab(fakeInterface(), { hash: '#/lists' });
  await tab.open('#/');

  for (const text of ['p', 'pu', 'punks']) {
    await tab.type('Search collections', text);
    await tab.pass(300);
  }
  const searched = tab.address();
  await tab.back();

  expect(searched).toBe('/prod/app#/?search=punks');
  expect(tab.address()).toBe('/prod/app#/lists');
});

it('requests go to the origin and stage that serve the page', async () => {
  const urls: string[] = [];
  const backend = fakeInterface();
  const { fetch } = backend;
  await openTab({
    ...backend,
    fetch: async (url, init) => {
      urls.push(`${url.origin}${url.pathname}`);
      return await fetch(url, init);
    },
  });

  expect(urls).toContain('https://floorwatch.example/prod/v1/overview');
});

it.each([
  { hash: '#/', title: 'Overview · floorwatch' },
  { hash: '#/channels', title: 'Channels · floorwatch' },
  { hash: '#/lists', title: 'Lists · floorwatch' },
  { hash: '#/lists/punks', title: 'Punks · floorwatch' },
  { hash: '#/operations', title: 'Operations · floorwatch' },
  { hash: '#/nothing', title: 'Page not found · floorwatch' },
])('the title of the tab names the page: $title', async ({ hash, title }) => {
  const tab = await openTab(fakeInterface(), { hash });

  expect(tab.window.document.title).toBe(title);
});

it('the title of a page is removed before the next page is loaded', async () => {
  const backend = fakeInterface();
  const tab = await openTab(backend, { hash: '#/lists/punks' });
  backend.reply({ 'GET /v1/channels': () => new Promise(() => {}) });
  await tab.open('#/channels');
  const unknown = tab.window.document.title;
  await tab.click('Sign out');

  expect([unknown, tab.window.document.title]).toEqual(['floorwatch', 'floorwatch']);
});
