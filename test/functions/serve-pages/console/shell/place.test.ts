import { expect, it } from 'vitest';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import { fakeInterface } from '#test/functions/serve-pages/console/fake-interface.ts';

it('the address selects the page, and an unknown address shows the overview', async () => {
  const tab = await openTab(fakeInterface(), { hash: '#/lists/punks' });
  const list = tab.textsOf('h1');
  await tab.open('#/nothing/like/that');
  const other = tab.textsOf('h1');
  await tab.back();

  expect([list, other, tab.textsOf('h1')]).toEqual([['Punks'], ['Overview'], ['Punks']]);
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
  await tab.choose('Show', 'Every state');

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
