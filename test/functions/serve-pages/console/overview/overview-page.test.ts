import { expect, it } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import {
  example,
  fakeInterface,
  KEY,
  PICTURE,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type Overview = Answer<'GET /v1/overview'>;
type Row = Overview['contracts'][number];

const NEXT = toCursor(PUNKS);
const [ROW] = example('GET /v1/overview').contracts;

function aRow(name: string, given: Partial<Row> = {}, distancePct?: string | null): Row {
  if (ROW?.nearest == null) throw new Error('the document has no example');
  const nearest = distancePct === undefined ? null : { ...ROW.nearest, distancePct };
  return { ...ROW, contract: `eth:0x${name}`, slug: null, name, nearest, ...given };
}

const showing = (...rows: readonly Row[]) =>
  fakeInterface({
    'GET /v1/overview': () => ({ ...example('GET /v1/overview'), contracts: [...rows] }),
  });

const names = (tab: Awaited<ReturnType<typeof openTab>>) =>
  [...tab.window.document.querySelectorAll('li .name')].map((one) => one.firstChild?.textContent);

it('the overview sorts firing rows first, then by absolute distance, and rows without a line last', async () => {
  const tab = await openTab(
    showing(
      aRow('no line'),
      aRow('far ahead', {}, '30'),
      aRow('just passed', {}, '-0.5'),
      aRow('near ahead', {}, '2.04'),
      aRow('passed long ago', {}, '-12.5'),
      aRow('of the clock', {}, null),
      aRow('fires', { status: 'firing' }, '-40'),
    ),
  );

  expect(names(tab)).toEqual([
    ...['fires', 'just passed', 'near ahead', 'passed long ago', 'far ahead'],
    ...['no line', 'of the clock'],
  ]);
});

it('the overview sorts by absolute 24-hour change or by name, and keeps the choice in the address', async () => {
  const moved = (percent: string | null) => ({
    changes: { '1h': null, '24h': percent, '7d': null },
  });
  const tab = await openTab(
    showing(aRow('Bears', moved('2')), aRow('Apes', moved(null)), aRow('Cats', moved('-10.5'))),
  );

  await tab.choose('Sort', 'Largest move in 24 h');
  const byMove = names(tab);
  await tab.choose('Sort', 'Name');

  expect(byMove).toEqual(['Cats', 'Bears', 'Apes']);
  expect(names(tab)).toEqual(['Apes', 'Bears', 'Cats']);
  expect(tab.address()).toBe('/prod/app#/?sort=name');
});

it.each([
  ['4.12', '4.1% away'],
  ['-1.2', '1.2% below'],
  ['0', 'at threshold'],
  ['-0.00', 'at threshold'],
])('the overview writes a distance of %s as "%s"', async (distance, words) => {
  const tab = await openTab(showing(aRow('Apes', {}, distance)));

  expect(tab.textsOf('.nearest strong')).toEqual([words]);
});

it.each([
  ['falls', '1.2% below', 'threshold'],
  ['rises', '1.2% above', 'threshold'],
] as const)(
  'the overview shows a price that %s past its line as "%s"',
  async (direction, words, at) => {
    if (ROW?.nearest == null) throw new Error('the document has no example');
    const nearest = { ...ROW.nearest, direction, distancePct: '-1.2' };
    const tab = await openTab(showing(aRow('Apes', { nearest })));

    expect(tab.textsOf('.nearest strong')).toEqual([words]);
    expect(tab.textsOf('.nearest .small')).toEqual([expect.stringContaining(at)]);
  },
);

it.each([
  ['-0.4', 'down', '−0.40%'],
  ['2.15', 'up', '+2.1%'],
  ['0.00', 'flat', '0%'],
  [null, 'flat', '–'],
])('the overview shows a change of %s as %s', async (percent, way, words) => {
  const changes = { '1h': percent, '24h': null, '7d': null };
  const tab = await openTab(showing(aRow('Apes', { changes })));

  expect(tab.textsOf(`.change.${way}`)[0]).toBe(`1h ${words}`);
});

it('the search of the overview ignores case, reads names, slugs and addresses, and works together with the state filter', async () => {
  const tab = await openTab(
    showing(
      aRow('Apes', { slug: 'bored' }),
      aRow('Bored Bears'),
      aRow('Cats', { contract: 'eth:0xB0RED' }),
      aRow('Dogs'),
      aRow('Bored Eagles', { status: 'firing' }),
    ),
  );

  await tab.type('Search collections', 'bored');
  await tab.pass(300);
  const found = names(tab).toSorted();
  await tab.type('Search collections', 'BORED ');
  await tab.choose('Show', 'firing');

  expect(found).toEqual(['Apes', 'Bored Bears', 'Bored Eagles']);
  expect(names(tab)).toEqual(['Bored Eagles']);
});

it('the overview links to collections and to its next page', async () => {
  const backend = fakeInterface({
    'GET /v1/overview': () => ({ ...example('GET /v1/overview'), cursor: NEXT }),
    'GET /v1/contracts/{contract}/prices': () => Promise.withResolvers<never>().promise,
  });
  const tab = await openTab(backend, { hash: '#/?sort=name' });

  await tab.click('More collections');
  const { query } = backend.asked('GET /v1/overview').at(-1) ?? {};
  const address = tab.address();
  await tab.click('Back to the first page');
  const first = backend.asked('GET /v1/overview').at(-1)?.query;
  await tab.click(/^CCryptoPunks/);

  expect(query).toEqual({ limit: '50', cursor: NEXT });
  expect(address).toBe(`/prod/app#/?sort=name&cursor=${NEXT}`);
  expect(first).toEqual({ limit: '50' });
  expect(tab.textsOf('h1')).toEqual(['Punks']);
});

it('the summary counts each collection once, by its worst rule, and shows the total', async () => {
  const tab = await openTab(
    showing(
      aRow('Apes', { status: 'firing' }),
      aRow('Bears', { status: 'firing' }),
      aRow('Cats', { status: 'ok' }),
      aRow('Dogs', { status: 'expired' }),
      aRow('Eagles', { status: null }),
    ),
  );

  expect(tab.textsOf('.summary .count')).toEqual([
    ...['2 of 5 collections firing', '1 ok', '1 expired', '1 without rules'],
  ]);
  expect(tab.textsOf('.status .state')).toContain('Expired');
});

it('the summary on one of several pages shows that it counts only this page', async () => {
  const backend = fakeInterface({
    'GET /v1/overview': () => ({ ...example('GET /v1/overview'), cursor: NEXT }),
  });
  const tab = await openTab(backend);

  expect(tab.textsOf('.summary .count')[0]).toBe('0 of 1 collection on this page firing');
});

it("the summary computes the age of the last check with the API's clock, not the device's", async () => {
  const backend = fakeInterface({
    // The clock of the device is two hours behind.
    'GET /v1/overview': () =>
      new Response(
        JSON.stringify({
          ...example('GET /v1/overview'),
          checkedAt: '2026-11-21T14:01:00.000Z',
        }),
        { headers: { Date: 'Sat, 21 Nov 2026 14:05:00 GMT' } },
      ),
  });
  const tab = await openTab(backend);

  expect(tab.textsOf('.summary .quiet')).toEqual(['checked 4 min ago']);
});

const READER: Partial<Answer<'GET /v1/key'>> = { scopes: ['read'], may: ['view', 'read'] };
const [LIST] = example('GET /v1/watchlists').watchlists;
const aList = (id: string, name: string) => {
  if (LIST === undefined) throw new Error('the document has no example');
  return { ...LIST, id, name, contracts: [] };
};

it('"Add collection" adds a collection to a list of the tenant, and offers to create its first rule', async () => {
  const backend = fakeInterface({
    'GET /v1/watchlists': () => ({
      ...example('GET /v1/watchlists'),
      watchlists: [aList('mine', 'Mine'), aList('ours', 'Ours')],
    }),
    'GET /v1/contracts/{contract}/prices': () => Promise.withResolvers<never>().promise,
  });
  const tab = await openTab(backend);

  await tab.click('Add collection');
  await tab.choose('List', 'Ours');
  await tab.type(/^Add a collection/, 'punks');
  await tab.click('Add');
  const [asked] = backend.asked('POST /v1/watchlists/{watchlist}/contracts');
  await tab.click(/^New rule on/);

  expect(asked).toMatchObject({ path: { watchlist: 'ours' }, body: 'punks' });
  expect(tab.address()).toMatch(/^\/prod\/app#\/collections\/eth.*\/rules\/ours\/new$/);
});

it('"New rule" opens the form for a rule on the collection in one of its lists', async () => {
  const both = [
    aRow('Bears', { watchlists: ['mine', 'ours'] }),
    aRow('Apes', { watchlists: ['mine'] }),
  ];
  const backend = fakeInterface({
    'GET /v1/overview': () => ({ ...example('GET /v1/overview'), contracts: both }),
    'GET /v1/contracts/{contract}/prices': () => Promise.withResolvers<never>().promise,
  });
  const tab = await openTab(backend);

  await tab.click('New rule');
  const offered = tab.textsOf('.quick option');
  await tab.choose('On which collection?', 'Bears, list ours');
  await tab.click('Continue');

  expect(offered).toEqual(['Apes', 'Bears, list mine', 'Bears, list ours']);
  expect(tab.address()).toBe('/prod/app#/collections/eth%3A0xBears/rules/ours/new');
});

it('a key that may only read is offered no changes on the overview', async () => {
  const tab = await openTab(fakeInterface({}, { [KEY]: READER }));

  expect([tab.has('Add collection'), tab.has('New rule')]).toEqual([false, false]);
});

it.each([
  { lists: [], offers: 'Create a list', says: 'A list contains the collections that you watch' },
  {
    lists: [aList('mine', 'Mine')],
    offers: 'Add',
    says: 'New collections are added to your list “Mine”.',
  },
])(
  'an overview without collections offers "$offers" if the tenant has $lists.length lists',
  async ({ lists, offers, says }) => {
    const backend = fakeInterface({
      'GET /v1/overview': () => ({ ...example('GET /v1/overview'), contracts: [] }),
      'GET /v1/watchlists': () => ({ ...example('GET /v1/watchlists'), watchlists: lists }),
    });
    const tab = await openTab(backend);

    expect(tab.text()).toContain('No collections yet');
    expect(tab.text()).toContain(says);
    expect(['Create a list', 'Add'].filter(tab.has)).toEqual([offers]);
  },
);

it('a picture is requested once, with the key, and only if the collection has one', async () => {
  const backend = fakeInterface({
    'GET /v1/overview': () => ({
      ...example('GET /v1/overview'),
      contracts: [aRow('Apes', { image: 'https://i2c.seadn.io/apes.png' }), aRow('Cats')],
    }),
    [PICTURE]: () => new Response('pixels', { headers: { 'Content-Type': 'image/png' } }),
  });
  const tab = await openTab(backend);
  await tab.choose('Sort', 'Name');

  expect(backend.asked(PICTURE)).toMatchObject([{ path: { contract: 'eth:0xApes' }, key: KEY }]);
  expect(tab.window.document.querySelectorAll('.avatar img')).toHaveLength(1);
  expect(tab.textsOf('.avatar')).toEqual(['', 'C']);
});

it('a floor that is not fresh shows the reason in place of its age', async () => {
  const freshness = {
    state: 'stale' as const,
    code: 'x',
    reason: 'The key was refused.',
    since: null,
  };
  const tab = await openTab(showing(aRow('Apes', { freshness }), aRow('Cats')));

  expect(tab.textsOf('.name')).toEqual(['ApesThe key was refused.', 'Cats35 min ago']);
});

it('a firing row names the rules that fire, without the name of the collection', async () => {
  const [watch] = example('GET /v1/watches').watches;
  if (watch === undefined) throw new Error('the document has no example');
  const backend = fakeInterface({
    'GET /v1/watches': () => ({
      ...example('GET /v1/watches'),
      watches: [
        { ...watch, contract: APES, rule: 'dip', label: 'Apes: dip' },
        { ...watch, contract: APES, rule: 'crash', label: 'Apes: crash' },
        { ...watch, contract: PUNKS, rule: 'low', label: null },
      ],
    }),
    'GET /v1/overview': () => {
      const overview = example('GET /v1/overview');
      return {
        ...overview,
        counts: { ...overview.counts, firing: 3 },
        contracts: [
          aRow('Apes', { contract: APES, status: 'firing' }),
          aRow('Punks', { contract: PUNKS, status: 'firing' }),
          aRow('Cats'),
        ],
      };
    },
  });
  const tab = await openTab(backend);

  expect(tab.textsOf('.which')).toEqual(['dip and 1 more', 'floor price below 60 ETH']);
  expect(backend.asked('GET /v1/watches')[0]?.query).toMatchObject({ state: 'firing' });
  expect(tab.window.document.title).toBe('(3) Overview · floorwatch');
});

it('the overview requests no rules while nothing fires', async () => {
  const backend = showing(aRow('Cats'));
  await openTab(backend);

  expect(backend.asked('GET /v1/watches')).toEqual([]);
});

it('the row of a comparison is named after its collections, and shows its ratio without a unit', async () => {
  const ratio = { value: '0.531204081632653061', unit: 'ratio', usd: null };
  const nearest = {
    metric: 'floor_ratio',
    unit: 'ratio',
    line: '0.5',
    direction: 'falls',
  } as const;
  const backend = showing(
    aRow('Punks', { contract: PUNKS, image: null }),
    aRow('Apes', { contract: APES, image: null }),
    aRow('', {
      ...{ contract: `${PUNKS}~${APES}`, name: null, image: 'https://example.com/punks.png' },
      sparkline: [
        ['2026-11-20T12:00:00.000Z', '0.52'],
        ['2026-11-21T11:00:00.000Z', '0.5312'],
      ],
      floor: ROW?.floor ? { ...ROW.floor, ...ratio } : null,
      nearest: ROW?.nearest ? { ...ROW.nearest, ...nearest, distancePct: '5.87' } : null,
    }),
  );
  const tab = await openTab(backend);
  await tab.choose('Sort', 'Name');

  expect(names(tab)).toEqual(['Apes', 'Punks', 'Punks / Apes']);
  expect(backend.asked(PICTURE)).toEqual([]);
  expect(tab.textsOf('li .avatar').at(-1)).toBe('PA');
  expect(tab.textsOf('li .number.floor').at(-1)).toBe('Ratio 0.5312');
  expect(tab.textsOf('li .nearest').at(-1)).toBe('Nearest threshold 5.8% awayfalls to 0.5');
  expect(tab.textsOf('li .sparkline .line')).toHaveLength(1);
});
