import { afterEach, expect, it, vi } from 'vitest';
import type { Answer } from '#console/interface/operations.ts';
import { openTab } from '#test/functions/serve-pages/console/console-tab.ts';
import { clickAt, drag, fakeChart, point } from '#test/functions/serve-pages/console/fake-chart.ts';
import {
  example,
  fakeInterface,
  refusal,
} from '#test/functions/serve-pages/console/fake-interface.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

type Prices = Answer<'GET /v1/contracts/{contract}/prices'>;

const HASH = `#/collections/${encodeURIComponent(PUNKS)}`;

afterEach(() => {
  vi.doUnmock('lightweight-charts');
});

/** A price answer with these floors, keyed by time of day. */
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
      query.series === undefined ? prices : pricesAt({}),
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

it('a drag that begins away from all lines moves no line', async () => {
  fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), { hash: HASH });

  drag(tab.window, 63, 55);
  await tab.pass(0);

  expect(tab.has('Save line')).toBe(false);
});

it('dragging a line whose rule is unreadable shows the problem, sends one read and restores the line', async () => {
  const chart = fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  backend.reply({
    'GET /v1/watchlists/{watchlist}/rules/{rule}': () =>
      refusal('too many requests', { type: 'throttled' }),
  });
  const tab = await openTab(backend, { hash: HASH });
  const reads = () => backend.asked('GET /v1/watchlists/{watchlist}/rules/{rule}').length;
  const before = chart.lines();

  point(tab.window, 'pointerdown', 60);
  for (const price of [59, 58, 57]) {
    point(tab.window, 'pointermove', price);
    await tab.pass(0);
  }
  const during = reads();
  point(tab.window, 'pointerup', 57);
  await tab.pass(0);
  const problems = tab.textsOf('[role=alert]');
  drag(tab.window, 60, 55);
  await tab.pass(0);

  expect(problems).toEqual(['too many requests']);
  expect([during, reads()]).toEqual([1, 2]);
  expect(chart.lines()).toEqual(before);
});

it.each([
  ['a second finger', 'pointerdown', { isPrimary: false }],
  ['a gesture of the browser', 'pointercancel', {}],
] as const)('%s ends a drag without moving the line', async (_, type, changes) => {
  const chart = fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), { hash: HASH });
  const before = chart.lines();

  point(tab.window, 'pointerdown', 60);
  point(tab.window, 'pointermove', 55);
  await tab.pass(0);
  point(tab.window, type, 55, changes);
  point(tab.window, 'pointermove', 50);
  point(tab.window, 'pointerup', 50);
  await tab.pass(0);

  expect(tab.has('Save line')).toBe(false);
  expect(chart.lines()).toEqual(before);
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

it('the chart names the price at the pointer, and whether it is an outlier or in a gap', async () => {
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

it('the chart shows a recorded volume as bars, in its legend and in words', async () => {
  const chart = fakeChart();
  const prices = pricesAt({ '08:00': '61', '11:00': '62.5' });
  const backend = interfaceWith(prices);
  const contract = example('GET /v1/contracts/{contract}');
  const series = contract.series.flatMap((one) => [one, { ...one, series: 'volume.1d' as const }]);
  const volume = pricesAt({ '08:30': '24.1', '10:00': '0', '11:30': '32.5' });
  backend.reply({
    'GET /v1/contracts/{contract}': () => ({ ...contract, series }),
    'GET /v1/contracts/{contract}/prices': ({ query }) =>
      query.series === 'volume.1d'
        ? { ...volume, series: 'volume.1d' }
        : query.series === undefined
          ? prices
          : pricesAt({}),
  });
  const tab = await openTab(backend, { hash: `${HASH}?range=1d` });
  chart.pointAt('2026-11-21T10:30:00.000Z');
  await tab.pass(0);

  expect(chart.bars()).toEqual([24.1, 0, 32.5]);
  expect(tab.textsOf('.legend li')).toContain('volume in 1 day');
  expect(tab.textsOf('.canvas')).toEqual([expect.stringMatching(/, volume in 1 day 32.5 ETH$/)]);
  expect(tab.textsOf('figcaption > span')).toEqual([
    expect.stringContaining(' · volume in 1 day 0 ETH'),
  ]);
  await tab.click('Candles');
  expect(chart.bars()).toEqual([24.1, 0, 32.5]);
});

it('the chart has no bars without a recorded volume', async () => {
  const chart = fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), { hash: HASH });

  expect(chart.bars()).toEqual([]);
  expect(tab.text()).not.toContain('volume');
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
  const recovery = [tab.valueOf(/^Threshold/), tab.valueOf(/^Recovery threshold/)];
  drag(tab.window, 60, 50);
  await tab.pass(0);

  expect(recovery).toEqual(['60', '65']);
  expect([tab.valueOf(/^Threshold/), tab.valueOf(/^Recovery threshold/)]).toEqual(['50', '65']);
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

const PREVIEW = 'POST /v1/rules/preview';
/** Milliseconds without a change until the preview is requested. */
const PAUSE = 500;

it('a moved line shows its preview, which is requested once after the movement pauses', async () => {
  fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  const tab = await openTab(backend, { hash: HASH });

  drag(tab.window, 60, 57);
  await tab.pass(0);
  drag(tab.window, 57, 55.5);
  await tab.pass(PAUSE);

  expect(backend.asked(PREVIEW)).toMatchObject([
    { body: { rule: { threshold: '55.5', recover: '70' }, contracts: [{ contract: PUNKS }] } },
  ]);
  expect(tab.textsOf('.line-editor .summary-of-preview')).toEqual([
    expect.stringMatching(/^Last 30 days: fired once, /),
  ]);
});

it('the editor explains a recovery line on the wrong side of the threshold', async () => {
  fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), { hash: HASH });

  drag(tab.window, 70, 50);
  await tab.pass(PAUSE);

  expect(tab.textsOf('.line-editor .wrong')).toEqual([
    expect.stringMatching(/^Enter a number above the threshold if/),
  ]);
});

it('an unchanged line requests no preview', async () => {
  fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  const tab = await openTab(backend, { hash: HASH });

  drag(tab.window, 60, 60);
  await tab.pass(PAUSE);

  expect(tab.has('Save line')).toBe(true);
  expect(backend.asked(PREVIEW)).toEqual([]);
});

it.each(['during a drag', 'after a drag'])('Escape %s discards the moved line', async (when) => {
  const chart = fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  const tab = await openTab(backend, { hash: HASH });

  point(tab.window, 'pointerdown', 60);
  point(tab.window, 'pointermove', 55);
  if (when === 'after a drag') point(tab.window, 'pointerup', 55);
  await tab.pass(0);
  const moved = chart.lines().map(({ price }) => price);
  tab.window.dispatchEvent(new tab.window.KeyboardEvent('keydown', { key: 'Escape' }));
  point(tab.window, 'pointermove', 50);
  await tab.pass(0);

  expect(moved).toEqual([55, 70]);
  expect(chart.lines().map(({ price }) => price)).toEqual([60, 70]);
  expect(tab.has('Save line')).toBe(false);
});

it('Escape in the rule form returns a dragged line to its position before the drag', async () => {
  fakeChart();
  const prices = pricesAt({ '08:00': '61' });
  const tab = await openTab(interfaceWith(prices), { hash: `${HASH}/rules/punks/floor-60` });

  point(tab.window, 'pointerdown', 60);
  point(tab.window, 'pointermove', 50);
  await tab.pass(0);
  const dragged = tab.valueOf(/^Threshold/);
  tab.window.dispatchEvent(new tab.window.KeyboardEvent('keydown', { key: 'Escape' }));
  await tab.pass(0);

  expect([dragged, tab.valueOf(/^Threshold/)]).toEqual(['50', '60']);
});

it('a click on the price scale starts a rule at that price, with its preview', async () => {
  const chart = fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  const tab = await openTab(backend, { hash: HASH });

  clickAt(tab.window, 50, 'pane');
  await tab.pass(0);
  const beside = tab.has('Create this rule');
  clickAt(tab.window, 55, 'scale');
  await tab.pass(PAUSE);
  drag(tab.window, 55, 52);
  await tab.pass(PAUSE);
  const lines = chart.lines();
  const previewed = backend.asked(PREVIEW);
  await tab.click('Create this rule');

  expect(beside).toBe(false);
  expect(lines).toContainEqual({ price: 52, title: 'new rule' });
  expect(previewed).toMatchObject([
    { body: { rule: { metric: 'floor_price', when: 'below', threshold: '55' } } },
    { body: { rule: { metric: 'floor_price', when: 'below', threshold: '52' } } },
  ]);
  expect(tab.textsOf('h1')).toEqual(['New rule']);
  expect(tab.address()).toMatch(/rules\/punks\/new\?metric=floor_price&when=below&threshold=52$/);
  expect(tab.valueOf(/^Threshold/)).toBe('52');
});

it('a rule that is started above the floor fires when the floor rises', async () => {
  fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61' })), { hash: HASH });

  clickAt(tab.window, 80, 'scale');
  await tab.pass(0);

  expect(tab.valueOf(/^Alert when the floor rises to or above, in ETH$/)).toBe('80');
});

it('the lines and bands on the chart have the names of their rules', async () => {
  const page = example('GET /v1/watches');
  const [watch] = page.watches;
  const rules = [
    { rule: 'dip', label: 'Punks: dip', threshold: '60', recover: '62' },
    { ...{ rule: 'range', label: 'Range', when: 'outside' as const }, threshold: null },
  ];
  const watches = rules.flatMap((one) =>
    watch ? [{ ...watch, recover: null, low: null, high: null, ...one }] : [],
  );
  const chart = fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  backend.reply({
    'GET /v1/watches': () => ({
      ...page,
      watches: watches.map((one) =>
        one.rule === 'range' ? { ...one, low: '55', high: '65' } : one,
      ),
    }),
  });
  const tab = await openTab(backend, { hash: HASH });

  expect(chart.lines()).toEqual([
    { price: 60, title: 'dip' },
    { price: 62, title: 'recovery: dip' },
    { price: 55, title: 'Range' },
    { price: 65, title: 'Range' },
  ]);
  drag(tab.window, 65, 66);
  await tab.pass(0);
  expect(tab.valueOf(/^Upper edge of “Range”/)).toBe('66');
});

it('the price scale includes the prices, and a line that is moved by its field', async () => {
  const chart = fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '90' })), { hash: HASH });
  const prices = { minValue: 90, maxValue: 91 };

  const before = chart.scaleOf(prices);
  await tab.click('Move line');
  const moved = chart.scaleOf(prices);

  expect(before).toEqual(prices);
  expect(moved).toEqual({ minValue: 60, maxValue: 91 });
});

it('newer prices keep the zoom of the chart', async () => {
  const chart = fakeChart();
  const backend = interfaceWith(pricesAt({ '08:00': '61' }));
  const tab = await openTab(backend, { hash: `${HASH}?range=1d` });
  const before = chart.fitted();

  backend.reply({
    'GET /v1/contracts/{contract}/prices': () => pricesAt({ '08:00': '61', '12:00': '59' }),
  });
  await tab.pass(20_000);
  const newer = tab.textsOf('figcaption > span')[0];

  expect(before).toBe(1);
  expect(newer).toMatch(/^59 ETH/);
  expect(chart.fitted()).toBe(1);
});

it('the chart has candles of the floor, and shows the open, high, low and close at the pointer', async () => {
  const chart = fakeChart();
  const prices = pricesAt({ '08:00': '61', '08:05': '63.5', '08:10': '60', '11:00': '62' });
  const tab = await openTab(interfaceWith(prices), { hash: `${HASH}?range=1d` });

  const asLine = tab.textsOf('.legend li');
  await tab.click('Candles');
  const [first] = chart.candles();
  chart.pointAt('2026-11-21T08:00:00.000Z');
  await tab.pass(0);

  expect(asLine).not.toContain('the floor rose');
  expect(tab.textsOf('.legend li').slice(0, 2)).toEqual(['the floor rose', 'the floor fell']);
  expect(first).toMatchObject({ open: 61, high: 63.5, low: 60, close: 60 });
  expect(tab.textsOf('figcaption > span')[0]).toMatch(
    /^open 61 ETH · high 63.5 ETH · low 60 ETH · close 60 ETH · 15 min from .* · 4 h ago$/,
  );
});

it('the price at the pointer is shown with its age', async () => {
  const chart = fakeChart();
  const tab = await openTab(interfaceWith(pricesAt({ '08:00': '61', '12:00': '62' })), {
    hash: HASH,
  });

  chart.pointAt('2026-11-21T09:00:00.000Z');
  await tab.pass(0);

  expect(tab.textsOf('figcaption > span')[0]).toMatch(/^61 ETH · .* · 4 h ago/);
});

const RATIO = `${PUNKS}~${APES}` as const;

/** The page of a comparison. Its chart uses the scale of the fake chart. */
function comparing() {
  const prices = pricesAt({ '08:00': '61.204081632653061224', '11:00': '62.531204081632653061' });
  const points = prices.points.map((one) => ({ ...one, currency: 'ratio', source: null }));
  const backend = interfaceWith({ ...prices, contract: RATIO, points });
  const known = example('GET /v1/contracts/{contract}');
  const series = known.series.map((one) => ({
    ...one,
    price: '62.5',
    currency: 'ratio',
    usd: null,
  }));
  backend.reply({
    'GET /v1/contracts/{contract}': () => ({ ...known, contract: RATIO, name: 'Rivals', series }),
    'GET /v1/watches': () => ({ ...example('GET /v1/watches'), watches: [] }),
  });
  return backend;
}

it.each(['', '?as=candles'])(
  'the chart of a comparison shows numbers without a unit (query: "%s")',
  async (shownAs) => {
    const chart = fakeChart();
    const hash = `#/collections/${encodeURIComponent(RATIO)}${shownAs}`;
    const tab = await openTab(comparing(), { hash });

    chart.pointAt('2026-11-21T11:30:00.000Z');
    await tab.pass(0);

    expect(tab.textsOf('.canvas')).toEqual([
      expect.stringMatching(/^Ratio of Rivals: from 61\.204 on .* to 62\.531 on /),
    ]);
    expect(tab.textsOf('figcaption > span')).toEqual([expect.stringMatching(/\b62\.531 · /)]);
    expect(tab.text()).not.toMatch(/RATIO/);
  },
);

it('a click on the price scale of a comparison starts a rule on the ratio, even if dollars were selected', async () => {
  fakeChart();
  const backend = comparing();
  const hash = `#/collections/${encodeURIComponent(RATIO)}?in=usd`;
  const tab = await openTab(backend, { hash });

  clickAt(tab.window, 50, 'scale');
  await tab.pass(500);

  expect(tab.valueOf('Alert when the ratio falls to or below')).toBe('50');
  expect(backend.asked('POST /v1/rules/preview')).toMatchObject([
    {
      body: { rule: { metric: 'floor_ratio', threshold: '50' }, contracts: [{ contract: RATIO }] },
    },
  ]);
});
