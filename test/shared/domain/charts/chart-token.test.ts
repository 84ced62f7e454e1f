import { describe, expect, it } from 'vitest';
import { type AlertChart, alertChart, withPrices } from '#shared/domain/charts/alert-chart.ts';
import { chartToken, openChartToken } from '#shared/domain/charts/chart-token.ts';
import { drawPriceChart } from '#shared/domain/charts/price-chart.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import { anAlert, aPrice, aRule, eth, NOON, PUNKS } from '#test/support/builders.ts';

const SECRET = 'the key of links';

function aChart(...given: Parameters<typeof anAlert>): AlertChart {
  const chart = alertChart(anAlert(...given), undefined);
  if (chart === undefined) throw new RangeError('it has no chart');
  return chart;
}

function aToken(chart = aChart()): string {
  return chartToken(SECRET, chart, NOON) ?? '';
}

describe('the address of a chart', () => {
  it('has all of it, and works for thirty days', () => {
    const rule = aRule({ threshold: '60', recover: '65' });
    const chart = alertChart(anAlert({ duration: '90m' }), rule);
    const token = chart && chartToken(SECRET, chart, NOON);

    const opened = (now: number) => openChartToken(SECRET, token ?? '', now);

    expect(opened(NOON + 30 * DAY - 1)).toEqual({
      ...{ kind: 'opened', content: chart, endsAt: NOON + 30 * DAY },
    });
    expect(opened(NOON + 30 * DAY)).toEqual({ kind: 'ended' });
    expect(chart).toMatchObject({ recover: eth('65'), episodeFrom: NOON - 1.5 * HOUR });
  });

  it('is nothing where any of it is changed, and under another key', () => {
    const token = aToken();
    const replaced = (at: number) =>
      `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    // The last character of the signature has bits that nothing is made of.
    const forged = Array.from({ length: token.length - 1 }, (_, at) => replaced(at));

    for (const other of [...forged, '', '.', `${token}.`, token.slice(0, -1), `.${token}`]) {
      expect(openChartToken(SECRET, other, NOON)).toEqual({ kind: 'forged' });
    }
    expect(openChartToken('another', token, NOON)).toEqual({ kind: 'forged' });
  });

  it('fits into what chats take, and into a path as it is', () => {
    const longest = aChart({
      name: 'Ж'.repeat(100),
      metric: 'floor_drawdown_pct.30d',
      threshold: '12.34567890123456789',
      value: '-1234.567890123456789',
      unit: '%',
      duration: '123456s',
    });

    expect(aToken().length).toBeLessThan(320);
    expect(aToken(longest)).toMatch(/^[\w.-]{1,400}$/);
  });

  it('is not made where it would be too long', () => {
    expect(chartToken(SECRET, aChart({ value: '1'.repeat(300) }), NOON)).toBeUndefined();
  });
});

describe('a chart of an alert', () => {
  it('says what the message says', () => {
    expect(aChart()).toMatchObject({
      ...{ contract: PUNKS, part: 'floor', title: 'CryptoPunks', unit: 'eth' },
      ...{ subtitle: 'Floor price at or below 60 ETH', value: '59.9 ETH', tone: 'warning' },
      ...{ thresholds: [eth('60')], from: NOON - DAY, moment: NOON, episodeFrom: undefined },
    });
  });

  it.each([
    { given: { when: 'above' as const }, subtitle: 'Floor price at or above 60 ETH' },
    { given: { when: 'crosses' as const }, subtitle: 'Floor price crosses 60 ETH' },
    {
      given: { when: 'outside' as const },
      subtitle: 'Floor price outside a band that ends at 60 ETH',
    },
    {
      given: { metric: 'floor_drop_pct.24h', unit: '%', threshold: '10', when: 'above' as const },
      subtitle: 'Floor price drop in 24h at or above 10 %',
    },
    {
      given: { kind: 'stale' as const, metric: 'data_age_minutes', unit: 'minutes', value: '360' },
      subtitle: 'No new floor price for 6 h',
    },
  ])('says its rule: $subtitle', ({ given, subtitle }) => {
    expect(aChart(given).subtitle).toBe(subtitle);
  });

  it('shows the whole band, and where a value has recovered, by the rule that fired', () => {
    const band = aRule({ when: 'outside', threshold: undefined, low: '60', high: '70' });
    const edited = aRule({ threshold: '50', recover: '55' });

    const lines = (given: Parameters<typeof anAlert>[0], rule: typeof band) =>
      alertChart(anAlert(given), rule);

    expect(lines({ when: 'outside' }, band)).toMatchObject({
      ...{ thresholds: [eth('60'), eth('70')], subtitle: 'Floor price outside its band' },
    });
    expect(lines({}, edited)).toMatchObject({ thresholds: [eth('60')], recover: undefined });
  });

  it('goes back a week where its window or its episode goes back further than a day', () => {
    const drop = { metric: 'floor_drop_pct.7d', unit: '%' };

    expect(aChart(drop).from).toBe(NOON - 7 * DAY);
    expect(aChart({ duration: '30h' }).from).toBe(NOON - 7 * DAY);
    expect(aChart({ metric: 'floor_drop_pct.24h', unit: '%' }).from).toBe(NOON - DAY);
  });

  it('of a share has no line, since that is no price', () => {
    const chart = aChart({ metric: 'floor_drop_pct.24h', unit: '%', threshold: '10' });

    expect(chart).toMatchObject({ thresholds: [], unit: '' });
    expect(withPrices(chart, [aPrice('60', { currency: 'pol' })])).toMatchObject({ unit: 'pol' });
  });

  it.each([
    {
      given: { metric: 'volume.1d', unit: 'eth', threshold: '30', value: '0' },
      drawn: { part: 'volume.1d', subtitle: 'Volume in 1 day at or below 30 ETH', value: '0 ETH' },
    },
    {
      given: { metric: 'sales.7d', unit: 'sales', threshold: '1', value: '0' },
      drawn: {
        ...{ part: 'sales.7d', subtitle: 'Number of sales in 7 days at or below 1 sale' },
        value: '0 sales',
      },
    },
    {
      given: { metric: 'owners', unit: 'owners', threshold: '5000', value: '4999' },
      drawn: { part: 'owners', subtitle: 'Number of owners at or below 5000 owners' },
    },
  ] as const)(
    'the chart of an alert about $given.metric shows that series, with values of 0',
    ({ given, drawn }) => {
      const chart = aChart({ ...given, previous: null });
      const { threshold, unit } = given;
      const points = [
        aPrice('3', { currency: unit, time: NOON - HOUR }),
        aPrice('0', { currency: unit }),
      ];

      expect(chart).toMatchObject({ ...drawn, unit, thresholds: [eth(threshold)] });
      expect(drawPriceChart(withPrices(chart, points))).not.toMatch(/NaN|undefined|Infinity/);
    },
  );

  it('an alert about an average price has no chart: no series has its values', () => {
    const average = anAlert({ metric: 'average_price.7d', threshold: '1', value: '0.9' });

    expect(alertChart(average, undefined)).toBeUndefined();
  });

  it.each(['summary', 'expired', 'channel_off', 'test'] as const)(
    'there is none of: %s',
    (kind) => {
      expect(alertChart(anAlert({ kind }), undefined)).toBeUndefined();
    },
  );

  it.each([
    ['Azuki ✨🔥 二', 'Azuki'],
    ['𝓐zuki', 'Azuki'],
    ['\u202eikuzA', 'ikuzA'],
    ['猿', 'eth:0xb47e3c…3bbb'],
    ['~'.repeat(5), 'eth:0xb47e3c…3bbb'],
    ['Мутанты & Ko', 'Мутанты & Ko'],
  ])('is named by what its font has: %s', (name, title) => {
    expect(aChart({ name }).title).toBe(title);
  });
});

describe('the prices of a chart', () => {
  it('are those in its currency, up to its moment', () => {
    const chart = withPrices(aChart(), [
      aPrice('61', { time: NOON - HOUR }),
      aPrice('9', { time: NOON - 5, currency: 'usdc' }),
      aPrice('59.9'),
      aPrice('50', { time: NOON + 1 }),
    ]);

    expect(chart.points.map(({ price }) => price)).toEqual([eth('61'), eth('59.9')]);
  });

  it.each([
    { hours: 30, shown: 24 },
    { hours: 5, shown: 5 },
    { hours: 0, shown: 1 },
  ])('are shown as large as may be where they begin $hours hours before', ({ hours, shown }) => {
    const chart = withPrices(aChart(), [aPrice('60', { time: NOON - hours * HOUR })]);

    expect(chart.from).toBe(NOON - shown * HOUR);
  });

  it('are dollars where its line is', () => {
    const usd = aChart({ metric: 'floor_price_usd', unit: 'usd' });

    expect(withPrices(usd, [aPrice('60', { usd: eth('180000') })]).points).toMatchObject([
      { price: eth('180000') },
    ]);
  });

  it('have no glitch that the next has contradicted', () => {
    const prices = ['62', '61', '6', '61.5'].map((price, hour) =>
      aPrice(price, { time: NOON - (4 - hour) * HOUR }),
    );

    const shown = withPrices(aChart(), prices).points.map(({ price }) => price);

    expect(shown).toEqual([eth('62'), eth('61'), eth('61.5')]);
  });

  it.each([
    { kind: 'stale' as const, open: true, gap: { from: NOON - 6 * HOUR, to: NOON } },
    { kind: 'fresh' as const, open: false, gap: { from: NOON - 9 * HOUR, to: NOON - 6 * HOUR } },
  ])('are missing where nothing came: $kind', ({ gap, ...given }) => {
    const silent = aChart({ ...given, metric: 'data_age_minutes', unit: 'minutes', value: '360' });
    const prices = [9, 6].map((hours) => aPrice('60', { time: NOON - hours * HOUR }));

    expect(withPrices(silent, prices).gaps).toEqual([gap]);
    expect(withPrices(aChart(), prices).gaps).toEqual([]);
  });
});
