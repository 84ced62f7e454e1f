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

describe('the token of a chart', () => {
  it('restores a chart from its token for thirty days', () => {
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

  it('rejects a chart token that was changed anywhere, or signed with another key', () => {
    const token = aToken();
    const replaced = (at: number) =>
      `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    // The last character of the signature has unused bits.
    const forged = Array.from({ length: token.length - 1 }, (_, at) => replaced(at));

    for (const other of [...forged, '', '.', `${token}.`, token.slice(0, -1), `.${token}`]) {
      expect(openChartToken(SECRET, other, NOON)).toEqual({ kind: 'forged' });
    }
    expect(openChartToken('another', token, NOON)).toEqual({ kind: 'forged' });
  });

  it('creates a token that is short enough for chats and needs no escaping in a path', () => {
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

  it('creates no token for a chart whose token would be too long', () => {
    expect(chartToken(SECRET, aChart({ value: '1'.repeat(300) }), NOON)).toBeUndefined();
  });
});

describe('the chart of an alert', () => {
  it('shows in a chart the same words as in the message of the alert', () => {
    expect(aChart()).toMatchObject({
      ...{ contract: PUNKS, series: 'floor', title: 'CryptoPunks', unit: 'eth' },
      ...{ subtitle: 'Floor price at or below 60 ETH', value: '59.9 ETH', tone: 'warning' },
      ...{ thresholds: [eth('60')], from: NOON - DAY, moment: NOON, episodeFrom: undefined },
    });
  });

  it.each([
    { given: { when: 'above' as const }, subtitle: 'Floor price at or above 60 ETH' },
    { given: { when: 'crosses' as const }, subtitle: 'Floor price crosses 60 ETH' },
    {
      given: { when: 'outside' as const },
      subtitle: 'Floor price outside a band with an edge at 60 ETH',
    },
    {
      given: { metric: 'floor_drop_pct.24h', unit: '%', threshold: '10', when: 'above' as const },
      subtitle: 'Floor price drop in 24h at or above 10%',
    },
    {
      given: { kind: 'stale' as const, metric: 'data_age_minutes', unit: 'minutes', value: '360' },
      subtitle: 'No new floor price for 6 h',
    },
  ])('shows the rule in the subtitle of a chart: $subtitle', ({ given, subtitle }) => {
    expect(aChart(given).subtitle).toBe(subtitle);
  });

  it('shows the whole band and the recovery threshold in a chart only if the rule has not changed since the alert', () => {
    const band = aRule({ when: 'outside', threshold: undefined, low: '60', high: '70' });
    const edited = aRule({ threshold: '50', recover: '55' });

    const lines = (given: Parameters<typeof anAlert>[0], rule: typeof band) =>
      alertChart(anAlert(given), rule);

    expect(lines({ when: 'outside' }, band)).toMatchObject({
      ...{ thresholds: [eth('60'), eth('70')], subtitle: 'Floor price outside its band' },
    });
    expect(lines({}, edited)).toMatchObject({ thresholds: [eth('60')], recover: undefined });
  });

  it('shows a week in a chart if the window or episode is longer than a day', () => {
    const drop = { metric: 'floor_drop_pct.7d', unit: '%' };

    expect(aChart(drop).from).toBe(NOON - 7 * DAY);
    expect(aChart({ duration: '30h' }).from).toBe(NOON - 7 * DAY);
    expect(aChart({ metric: 'floor_drop_pct.24h', unit: '%' }).from).toBe(NOON - DAY);
  });

  it('draws no threshold line for a percentage, because the chart shows prices', () => {
    const chart = aChart({ metric: 'floor_drop_pct.24h', unit: '%', threshold: '10' });

    expect(chart).toMatchObject({ thresholds: [], unit: '' });
    expect(withPrices(chart, [aPrice('60', { currency: 'pol' })])).toMatchObject({ unit: 'pol' });
  });

  it.each([
    {
      given: { metric: 'volume.1d', unit: 'eth', threshold: '30', value: '0' },
      drawn: {
        series: 'volume.1d',
        subtitle: 'Volume in 1 day at or below 30 ETH',
        value: '0 ETH',
      },
    },
    {
      given: { metric: 'sales.7d', unit: 'sales', threshold: '1', value: '0' },
      drawn: {
        ...{ series: 'sales.7d', subtitle: 'Number of sales in 7 days at or below 1 sale' },
        value: '0 sales',
      },
    },
    {
      given: { metric: 'owners', unit: 'owners', threshold: '5000', value: '4999' },
      drawn: { series: 'owners', subtitle: 'Number of owners at or below 5000 owners' },
    },
  ] as const)(
    'draws the series of $given.metric, including values of 0, for an alert about this metric',
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

  it('creates no chart for an alert about an average price, because no series has its values', () => {
    const average = anAlert({ metric: 'average_price.7d', threshold: '1', value: '0.9' });

    expect(alertChart(average, undefined)).toBeUndefined();
  });

  it.each(['summary', 'expired', 'channel_off', 'test'] as const)(
    'creates no chart for an alert of kind %s',
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
  ])('keeps only the characters of a name that the font contains: %s', (name, title) => {
    expect(aChart({ name }).title).toBe(title);
  });
});

describe('the prices of a chart', () => {
  it("shows only prices in the chart's currency, up to the time of the alert", () => {
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
  ])(
    'shrinks the time range of a chart if its prices start $hours hours before the alert',
    ({ hours, shown }) => {
      const chart = withPrices(aChart(), [aPrice('60', { time: NOON - hours * HOUR })]);

      expect(chart.from).toBe(NOON - shown * HOUR);
    },
  );

  it('shows dollar prices in a chart if the threshold is in dollars', () => {
    const usd = aChart({ metric: 'floor_price_usd', unit: 'usd' });

    expect(withPrices(usd, [aPrice('60', { usd: eth('180000') })]).points).toMatchObject([
      { price: eth('180000') },
    ]);
  });

  it('omits from a chart a glitch that the next price contradicted', () => {
    const prices = ['62', '61', '6', '61.5'].map((price, hour) =>
      aPrice(price, { time: NOON - (4 - hour) * HOUR }),
    );

    const shown = withPrices(aChart(), prices).points.map(({ price }) => price);

    expect(shown).toEqual([eth('62'), eth('61'), eth('61.5')]);
  });

  it.each([
    { kind: 'stale' as const, open: true, gap: { from: NOON - 6 * HOUR, to: NOON } },
    { kind: 'fresh' as const, open: false, gap: { from: NOON - 9 * HOUR, to: NOON - 6 * HOUR } },
  ])('shows a gap in a chart where data are missing: $kind', ({ gap, ...given }) => {
    const silent = aChart({ ...given, metric: 'data_age_minutes', unit: 'minutes', value: '360' });
    const prices = [9, 6].map((hours) => aPrice('60', { time: NOON - hours * HOUR }));

    expect(withPrices(silent, prices).gaps).toEqual([gap]);
    expect(withPrices(aChart(), prices).gaps).toEqual([]);
  });
});
