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
import { PUNKS } from '#test/support/builders.ts';

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

it('the overview sorts firing rows first, then by the amount of the distance, and rows without a line last', async () => {
  const tab = await openTab(
    showing(
      aRow('no line'),
      aRow('far ahead', {}, '30'),
      aRow('just passed', {}, '-0.5'),
      aRow('near ahead', {}, '2.04'),
      aRow('passed long ago', {}, '-12.5'),
      aRow('of the clock', {}, null),
      aRow('fires', { standing: 'firing' }, '-40'),
    ),
  );

  expect(names(tab)).toEqual([
    ...['fires', 'just passed', 'near ahead', 'passed long ago', 'far ahead'],
    ...['no line', 'of the clock'],
  ]);
});

it('the overview sorts by the amount of the 24-hour change or by name, and keeps the choice in the address', async () => {
  const moved = (percent: string | null) => ({
    changes: { '1h': null, '24h': percent, '7d': null },
  });
  const tab = await openTab(
    showing(aRow('Bears', moved('2')), aRow('Apes', moved(null)), aRow('Cats', moved('-10.5'))),
  );

  await tab.choose('Sort', 'Moved in 24 h');
  const byMove = names(tab);
  await tab.choose('Sort', 'Name');

  expect(byMove).toEqual(['Cats', 'Bears', 'Apes']);
  expect(names(tab)).toEqual(['Apes', 'Bears', 'Cats']);
  expect(tab.address()).toBe('/prod/app#/?sort=name');
});

it.each([
  ['4.12', '4.1 % to line'],
  ['-1.2', '1.2 % beyond'],
  ['0', 'at its line'],
  ['-0.00', 'at its line'],
])('the overview writes a distance of %s as "%s"', async (distance, words) => {
  const tab = await openTab(showing(aRow('Apes', {}, distance)));

  expect(tab.textsOf('.nearest strong')).toEqual([words]);
});

it.each([
  ['-0.4', 'down', '−0.4 %'],
  ['2.15', 'up', '+2.1 %'],
  ['0.00', 'flat', '0 %'],
  [null, 'flat', '–'],
])('the overview shows a change of %s as %s', async (percent, way, words) => {
  const changes = { '1h': percent, '24h': null, '7d': null };
  const tab = await openTab(showing(aRow('Apes', { changes })));

  expect(tab.textsOf(`.change.${way}`)[0]).toBe(`1h ${words}`);
});

it('the search of the overview ignores case, reads names, slugs and addresses, and combines with the state filter', async () => {
  const tab = await openTab(
    showing(
      aRow('Apes', { slug: 'bored' }),
      aRow('Bored Bears'),
      aRow('Cats', { contract: 'eth:0xB0RED' }),
      aRow('Dogs'),
      aRow('Bored Eagles', { standing: 'firing' }),
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

  await tab.click('Further collections');
  const { query } = backend.asked('GET /v1/overview').at(-1) ?? {};
  const address = tab.address();
  await tab.click('Back to the first');
  const first = backend.asked('GET /v1/overview').at(-1)?.query;
  await tab.click(/^CCryptoPunks/);

  expect(query).toEqual({ limit: '50', cursor: NEXT });
  expect(address).toBe(`/prod/app#/?sort=name&cursor=${NEXT}`);
  expect(first).toEqual({ limit: '50' });
  expect(tab.textsOf('h1')).toEqual(['Punks']);
});

it('the summary counts states, and computes the age of the last check with the clock of the interface', async () => {
  const overview = example('GET /v1/overview');
  const backend = fakeInterface({
    // The clock of the device is two hours behind.
    'GET /v1/overview': () =>
      new Response(
        JSON.stringify({
          ...overview,
          counts: { ...overview.counts, firing: 2, ok: 1 },
          checkedAt: '2026-11-21T14:01:00.000Z',
        }),
        { headers: { Date: 'Sat, 21 Nov 2026 14:05:00 GMT' } },
      ),
  });
  const tab = await openTab(backend);

  expect(tab.textsOf('.summary span')).toEqual(['2 firing', '1 ok', 'checked 4 min ago']);
});

it('a picture is requested once, with the key, and only where the collection has one', async () => {
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
