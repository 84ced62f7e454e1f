import { afterEach, expect, it, vi } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import { drag, fakeChart } from '#test/functions/serve-pages/console/fake-chart.ts';
import { example, fakeInterface } from '#test/functions/serve-pages/console/fake-interface.ts';
import { PUNKS } from '#test/support/builders.ts';

type Prices = Answer<'GET /v1/contracts/{contract}/prices'>;

const HASH = `#/collections/${encodeURIComponent(PUNKS)}`;

afterEach(() => {
  vi.doUnmock('lightweight-charts');
});

/** Floors at the hours of a day. */
function pricesAt(floors: Readonly<Record<string, string>>): Prices {
  const prices = example('GET /v1/contracts/{contract}/prices');
  const [point] = prices.points;
  if (point === undefined) throw new Error('the document has no example');
  const points = Object.entries(floors).map(([hour, price]) => ({
    ...{ ...point, time: `2026-11-21T${hour}:00.000Z`, price, tradedAt: null },
    ...{ outlier: hour === '09:00', usd: null },
  }));
  return { ...prices, points, gaps: [], disputes: [] };
}

const interfaceWith = (prices: Prices) =>
  fakeInterface({
    'GET /v1/contracts/{contract}/prices': ({ query }) =>
      query.part === undefined ? prices : pricesAt({}),
    'GET /v1/watches': () => {
      const page = example('GET /v1/watches');
      const watches = page.watches.map((watch) => ({ ...watch, threshold: '60', recover: '70' }));
      return { ...page, watches };
    },
  });

it.each([
  { line: 'threshold', from: 60, to: 55.5, body: { threshold: '55.5', recover: '70' } },
  { line: 'recovery line', from: 70, to: 65, body: { threshold: '60', recover: '65' } },
])('dragging the $line on the chart changes that line alone', async ({ from, to, body }) => {
  fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61', '11:00': '62' }));
  const tab = await openTab(backend, { hash: HASH });

  drag(tab.window, from, to);
  await tab.pass(0);
  await tab.click('Save line');

  expect(backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}')).toMatchObject([{ body }]);
});

it('a drag that begins away from all lines moves none', async () => {
  fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), { hash: HASH });

  drag(tab.window, 63, 55);
  await tab.pass(0);

  expect(tab.has('Save line')).toBe(false);
});

it('discarding a dragged line saves nothing', async () => {
  fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  const tab = await openTab(backend, { hash: HASH });

  drag(tab.window, 60, 55);
  await tab.pass(0);
  await tab.click('Discard');

  expect(tab.has('Save line')).toBe(false);
  expect(backend.asked('PUT /v1/watchlists/{watchlist}/rules/{rule}')).toEqual([]);
});

it('the chart has a text alternative with its first and last price', async () => {
  fakeChart();
  const prices = pricesAt({ '08:00': '61', '09:00': '20', '11:00': '62.5' });
  const tab = await openTab(interfaceWith(prices), { hash: HASH });

  expect(tab.textsOf('.canvas')).toEqual([
    expect.stringMatching(/^Floor of Punks: from 61 ETH on .* to 62.5 ETH on /),
  ]);
});

it('the chart names the price at the pointer, with outliers and gaps', async () => {
  const chart = fakeChart();
  const prices = pricesAt({ '08:00': '61', '09:00': '20', '11:00': '62.5' });
  const gap = {
    from: '2026-11-21T09:40:00.000Z',
    to: '2026-11-21T10:30:00.000Z',
    reason: 'outage',
  };
  const tab = await openTab(
    interfaceWith({ ...prices, gaps: prices.gaps.concat(gap as Prices['gaps'][number]) }),
    { hash: HASH },
  );
  const said = () => tab.textsOf('figcaption > span')[0];

  const newest = said();
  chart.pointAt('2026-11-21T08:59:00.000Z');
  await tab.pass(0);
  const early = said();
  chart.pointAt('2026-11-21T10:00:00.000Z');
  await tab.pass(0);

  expect(newest).toMatch(/^62.5 ETH · /);
  expect(early).toMatch(/^61 ETH · /);
  expect(said()).toMatch(/^20 ETH · .*an outlier that rules ignore · no prices: outage$/);
});

it('a click on the chart places the line of a new rule once, and a drag moves it', async () => {
  const chart = fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), {
    hash: `${HASH}/rules/punks/new`,
  });
  const threshold = () => tab.valueOf(/^Threshold/);

  chart.click(58);
  await tab.pass(0);
  const placed = threshold();
  chart.click(40);
  await tab.pass(0);
  const kept = threshold();
  drag(tab.window, 58, 57.5);
  await tab.pass(0);

  expect([placed, kept, threshold()]).toEqual(['58', '58', '57.5']);
});

it('dragging a line in the rule form changes that line alone', async () => {
  fakeChart();
  const prices = pricesAt({ '08:00': '61' });
  const tab = await openTab(interfaceWith(prices), { hash: `${HASH}/rules/punks/floor-60` });

  drag(tab.window, 70, 65);
  await tab.pass(0);
  const recovery = [tab.valueOf(/^Threshold/), tab.valueOf(/^Over again past/)];
  drag(tab.window, 60, 50);
  await tab.pass(0);

  expect(recovery).toEqual(['60', '65']);
  expect([tab.valueOf(/^Threshold/), tab.valueOf(/^Over again past/)]).toEqual(['50', '65']);
});

it('the chart shows only lines on the floor in the selected currency', async () => {
  const page = example('GET /v1/watches');
  const [watch] = page.watches;
  const watches = [
    { rule: 'eth', metric: 'floor_price' as const, unit: 'eth' },
    { rule: 'usd', metric: 'floor_price_usd' as const, unit: 'usd' },
    { rule: 'sales', metric: 'lowest_price.7d' as const, unit: 'eth' },
  ].flatMap((one, index) =>
    watch ? [{ ...watch, recover: null, ...one, threshold: `${50 + index * 10}` }] : [],
  );
  fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  backend.reply({ 'GET /v1/watches': () => ({ ...page, watches }) });
  const tab = await openTab(backend, { hash: HASH });
  const picked = async (price: number) => {
    drag(tab.window, price, price + 1);
    await tab.pass(0);
    const isPicked = tab.has('Discard');
    if (isPicked) await tab.click('Discard');
    return isPicked;
  };

  const inEth = [await picked(50), await picked(60), await picked(70)];
  await tab.click('USD');
  const inDollars = [await picked(50), await picked(60), await picked(70)];

  expect(inEth).toEqual([true, false, false]);
  expect(inDollars).toEqual([false, true, false]);
});
