import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import {
  absorbAnswers,
  isQuiet,
  type SeriesAnswer,
} from '#shared/domain/polling/absorb-answers.ts';
import {
  type ContractRecord,
  newestOf,
  type SeriesRecord,
} from '#shared/domain/polling/contract-record.ts';
import { newestReading } from '#shared/domain/timeline/timeline.ts';
import {
  aContractRecord,
  anAnsweredRecord,
  aPrice,
  aTrade,
  eth,
  NOON,
} from '#test/support/builders.ts';

const LATER = NOON + 30 * MINUTE;
const answerOf = (
  series: PriceSeriesName,
  points: readonly PricePoint[],
  askedAt = LATER,
): SeriesAnswer => ({
  series,
  askedAt,
  outcome: { kind: 'ok', value: points },
});
const refusalOf = (
  outcome: Refusal,
  series: PriceSeriesName = 'floor',
  askedAt = LATER,
): SeriesAnswer => ({
  series,
  askedAt,
  outcome,
});
const absorb = (record: ContractRecord, answer: SeriesAnswer, now = answer.askedAt) =>
  absorbAnswers(record, [answer], now);
/** Prices a minute apart, the first at noon. */
const floors = (...prices: readonly string[]) =>
  prices.map((price, index) => aPrice(price, { time: NOON + index * MINUTE }));
/** The new points of a series in the pending steps. */
const newsOf = ({ timeline }: ContractRecord, series: PriceSeriesName = 'floor') =>
  timeline.steps.flatMap(({ points }) => points[series === 'floor' ? 'reported' : series] ?? []);
const pricesOf = (record: ContractRecord) =>
  newsOf(record).flatMap((point) => (point.kind === 'price' ? [point.price] : []));

describe('floors', () => {
  it('adds only the newest floor of the first answer', () => {
    const answer = answerOf('floor', floors('50', '60', '70').toReversed());

    const record = absorb(aContractRecord(), answer);

    expect(pricesOf(record)).toEqual([eth('70')]);
    expect(record.series.floor).toEqual({ outcome: 'ok', since: LATER, answeredAt: LATER });
  });

  it('compares the floors of two providers with the stored record, not with the record from the time of the poll', () => {
    const floor = aPrice('66.7', { time: NOON + MINUTE });
    const opinions = [
      { provider: 'nft-data', floor },
      { provider: 'coingecko', floor: aPrice('58.1', { time: LATER }) },
    ] as const;
    const committed = (known: string) =>
      absorb(anAnsweredRecord('floor', aPrice(known)), {
        ...answerOf('floor', [floor]),
        opinions,
      });

    expect(newestOf(committed('54'), 'floor')).toMatchObject({
      ...{ price: eth('58.1'), confirmedBy: 'coingecko' },
    });
    expect(committed('54').series.floor).toMatchObject({ confirmed: { by: 'coingecko' } });
    expect(committed('66.6').series.floor).toMatchObject({ outcome: 'disputed' });
  });

  it('does not confirm the newest floor if two providers agree on an older one with another price', () => {
    const floor = aPrice('50', { time: NOON - MINUTE });
    const opinions = [
      { provider: 'nft-data', floor },
      { provider: 'coingecko', floor: aPrice('50', { time: LATER }) },
    ] as const;
    const committed = (known: string) =>
      absorb(anAnsweredRecord('floor', aPrice(known)), { ...answerOf('floor', [floor]), opinions })
        .series.floor;

    expect(committed('60')?.confirmed).toBeUndefined();
    expect(committed('50')).toMatchObject({ confirmed: { by: 'coingecko' } });
  });

  it('marks newer floors as confirmed for an hour if they have the confirmed price', () => {
    const floor = aPrice('50', { confirmedBy: 'coingecko' });
    const confirmed = { by: 'coingecko', at: NOON } as const;
    const known = anAnsweredRecord('floor', floor, { confirmed });
    const answer = answerOf('floor', floors('50', '50', '51'));

    const news = newsOf(absorb(known, answer));

    expect(news.map((point) => point.kind === 'price' && point.confirmedBy)).toEqual([
      'coingecko',
      undefined,
    ]);
  });

  it('adds all floors that are newer than the newest known one, oldest first', () => {
    const known = anAnsweredRecord('floor', aPrice('50'));
    const answer = answerOf('floor', floors('50', '60', '70').toReversed());

    expect(pricesOf(absorb(known, answer))).toEqual([eth('60'), eth('70')]);
  });

  it('adds at most the 48 newest floors of an answer, and notes that earlier ones may be missing', () => {
    const points = floors(...Array.from({ length: 60 }, (_, index) => `${index + 60}`));

    const answer = answerOf('floor', points, NOON + HOUR);

    const record = absorb(anAnsweredRecord('floor', aPrice('60')), answer);

    expect(pricesOf(record)).toHaveLength(48);
    expect([pricesOf(record).at(0), pricesOf(record).at(-1)]).toEqual([eth('72'), eth('119')]);
    expect(record.past).toEqual({ since: NOON + 12 * MINUTE });
  });

  it.each<[what: string, counts: boolean, point: PricePoint]>([
    ['another price at the same time', true, aPrice('61')],
    ['another currency at the same time', true, aPrice('60', { currency: 'sol' })],
    ['another USD price at the same time', true, aPrice('60', { usd: 2n })],
    ['the same floor again', false, aPrice('60', { usd: 1n })],
    ['another source of the same floor', false, aPrice('60', { usd: 1n, source: 'x' })],
    ['an older price', false, aPrice('59', { time: NOON - 1, usd: 1n })],
    ['the same price later', true, aPrice('60', { time: NOON + 1, usd: 1n })],
  ])('decides whether a floor is new if it is %s: %s', (_what, counts, point) => {
    const known = anAnsweredRecord('floor', aPrice('60', { usd: 1n }));

    const record = absorb(known, answerOf('floor', [point]));

    expect(newsOf(record)).toHaveLength(counts ? 1 : 0);
  });

  it('appends new floors after the pending steps', () => {
    const first = absorb(anAnsweredRecord('floor', aPrice('60')), answerOf('floor', floors('59')));
    const newer = aPrice('58', { time: NOON + HOUR });

    const second = absorb(first, answerOf('floor', [newer], NOON + HOUR));

    expect(pricesOf(second)).toEqual([eth('59'), eth('58')]);
    expect(second.timeline.seq).toBeGreaterThan(first.timeline.seq);
  });

  it('records the provider that later confirms a known floor', () => {
    const floor = aPrice('50');
    const opinions = [
      { provider: 'nft-data', floor },
      { provider: 'coingecko', floor: aPrice('50', { time: LATER }) },
    ] as const;
    const known = absorb(aContractRecord(), answerOf('floor', [floor], NOON));

    const confirmed = absorb(known, { ...answerOf('floor', [floor]), opinions });

    expect(newestOf(known, 'floor')).not.toHaveProperty('confirmedBy');
    expect(newestOf(confirmed, 'floor')).toMatchObject({ confirmedBy: 'coingecko' });
    expect(newestReading(confirmed.timeline).agreed).toMatchObject({ confirmedBy: 'coingecko' });
    expect(confirmed.timeline.steps.at(-2)?.points).toHaveProperty('agreed');
  });

  it('ignores an answer for a series that is no longer needed', () => {
    const known = aContractRecord({ series: {} });

    expect(absorb(known, answerOf('floor', floors('50')))).toEqual(known);
  });
});

it.each([
  answerOf('floor', [aPrice('70', { time: NOON })], LATER - MINUTE),
  refusalOf({ kind: 'failed', reason: 'timeout' }, 'floor', LATER - MINUTE),
])('ignores an answer that was requested before the last recorded one', (answer) => {
  const known = absorb(aContractRecord(), answerOf('floor', [aPrice('50', { time: NOON })]));

  expect(absorb(known, answer)).toBe(known);
});

it('keeps a series marked as failed if a late answer was requested before the failure', () => {
  const known = absorb(aContractRecord(), answerOf('floor', floors('50'), NOON));
  const silent = absorb(known, refusalOf({ kind: 'failed', reason: 'timeout' }));

  const record = absorb(silent, answerOf('floor', floors('50', '60'), LATER - MINUTE));

  expect(pricesOf(record).at(-1)).toBe(eth('60'));
  expect(record.series.floor).toMatchObject({ outcome: 'failed', noDataSince: LATER, failures: 1 });
});

describe('the lowest trade', () => {
  const [old, left] = [NOON - 3 * DAY, NOON + 4 * DAY];
  const low = aTrade('10', old);
  const empty = { kind: 'empty', time: NOON } as const;

  it.each<[what: string, last: Point, trade: PricePoint, time: number | null, asked?: number]>([
    ['the same trade again', low, low, null],
    ['the same trade with another USD price', low, { ...low, usd: 5n }, null],
    ['the same trade in another currency', low, { ...low, currency: 'usdc' }, LATER],
    ['later and lower', low, aTrade('9', NOON), NOON],
    [
      'later and a lower number of another currency',
      low,
      { ...aTrade('9', NOON), currency: 'usdc' },
      LATER,
    ],
    ['lower but earlier', low, aTrade('9', old - 1), LATER],
    ['of the same price, later', low, aTrade('10', NOON), LATER],
    ['higher while the old low is within its window', low, aTrade('11', NOON), LATER],
    ['higher once the old low left', low, aTrade('11', NOON), left, left + HOUR],
    ['higher at the moment the old low left', low, aTrade('11', NOON), left, left],
    [
      'higher, and sold after the old low left',
      low,
      aTrade('11', left + MINUTE),
      left + MINUTE,
      left + HOUR,
    ],
    ['lower and later after the old low left', low, aTrade('9', left + 1), left + 1, left + HOUR],
    [
      'higher, long after a point reported later than the window',
      { ...low, time: left },
      aTrade('11', NOON),
      left + HOUR,
      left + HOUR,
    ],
    ['the first after none was left', empty, aTrade('12', NOON + 1), NOON + 1],
    ['older than the time at which the window was empty', empty, aTrade('12', NOON - 1), LATER],
  ])('records the time of a lowest trade that is %s', (_what, last, trade, time, asked = LATER) => {
    const known = anAnsweredRecord('lowest.7d', last);

    const record = absorb(known, answerOf('lowest.7d', [trade], asked));

    expect(newsOf(record, 'lowest.7d')).toEqual(time === null ? [] : [{ ...trade, time }]);
  });

  it('records the first lowest trade at its own time', () => {
    const known = aContractRecord({ series: { 'lowest.7d': {} } });

    const record = absorb(known, answerOf('lowest.7d', [low]));

    expect(newsOf(record, 'lowest.7d').map(({ time }) => time)).toEqual([old]);
  });

  it.each([
    { asked: left - 1, outcome: 'disputed' },
    { asked: left, outcome: 'empty' },
    { asked: left + HOUR, outcome: 'empty' },
  ])(
    'disputes "no trade" while the last low is in its window, and accepts it afterwards: $outcome at $asked',
    ({ asked, outcome }) => {
      const known = anAnsweredRecord('lowest.7d', low);

      const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d', asked));

      expect(record.series['lowest.7d']).toMatchObject({
        outcome,
        since: asked,
        answeredAt: outcome === 'disputed' ? NOON : asked,
      });
      expect(newsOf(record, 'lowest.7d')).toEqual(
        outcome === 'empty' ? [{ kind: 'empty', time: left }] : [],
      );
    },
  );

  it('removes a low from its window by the time of the sale, not by the time of the report', () => {
    const known = anAnsweredRecord('lowest.7d', { ...low, time: NOON });

    const none = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d', left));
    const another = absorb(known, answerOf('lowest.7d', [aTrade('11', NOON)], left + HOUR));

    const times = [none, another].map((record) =>
      newsOf(record, 'lowest.7d').map(({ time }) => time),
    );
    expect(times).toEqual([[left], [left]]);
  });

  it('keeps the last low if "no trade" contradicts it, and records the reason', () => {
    const known = anAnsweredRecord('lowest.7d', low);

    const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));

    expect(newestOf(record, 'lowest.7d')).toEqual(low);
    expect(record.series['lowest.7d']).toMatchObject({
      reason: 'it reports no sale, but one that it reported earlier is still within the window',
    });
  });

  it('stops retrying every minute when the answer to a retry contradicts the known trade', () => {
    const failing = { outcome: 'failed', failures: 2, retryAt: LATER } as const;
    const known = anAnsweredRecord('lowest.7d', low, failing);

    const record = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));

    expect(record.series['lowest.7d']).not.toHaveProperty('retryAt');
    expect(record.series['lowest.7d']).toHaveProperty('failures', 5);
  });

  it('records "no trade" once, with the answer\'s time if no trade was known', () => {
    const known = aContractRecord({ series: { 'lowest.7d': {} } });

    const once = absorb(known, refusalOf({ kind: 'empty' }, 'lowest.7d'));
    const twice = absorb(once, refusalOf({ kind: 'empty' }, 'lowest.7d', LATER + HOUR));

    expect(newsOf(once, 'lowest.7d')).toEqual([{ kind: 'empty', time: LATER }]);
    expect(newsOf(twice, 'lowest.7d')).toEqual(newsOf(once, 'lowest.7d'));
  });
});

describe('the best offer', () => {
  const offer = aPrice('57', { time: NOON });

  it('ends the best offer when the provider answers that there is none', () => {
    const known = anAnsweredRecord('offer', offer);

    const once = absorb(known, refusalOf({ kind: 'empty' }, 'offer'));
    const twice = absorb(once, refusalOf({ kind: 'empty' }, 'offer', LATER + HOUR));

    expect(once.series.offer).toMatchObject({ outcome: 'empty', answeredAt: LATER });
    expect([once, twice].map((record) => newsOf(record, 'offer'))).toEqual([
      [{ kind: 'empty', time: LATER }],
      [{ kind: 'empty', time: LATER }],
    ]);
  });

  it.each<[what: string, last: Point, time: number | null]>([
    ['the same offer again', offer, null],
    ['a lower offer', aPrice('58', { time: NOON }), LATER],
    ['the first offer after there was none', { kind: 'empty', time: NOON }, LATER],
  ])('records an offer with the time of the poll: %s', (_what, last, time) => {
    const asked = { ...offer, time: LATER };

    const record = absorb(anAnsweredRecord('offer', last), answerOf('offer', [asked]));

    expect(newsOf(record, 'offer')).toEqual(time === null ? [] : [{ ...asked, time }]);
  });
});

describe('answers without a value', () => {
  const REFUSALS: readonly (readonly [Refusal, reason: string | undefined, retried: boolean])[] = [
    [{ kind: 'not_ready' }, undefined, true],
    [{ kind: 'throttled', retryAfterSeconds: 9 }, undefined, true],
    [{ kind: 'denied', reason: 'quota' }, 'quota', true],
    [{ kind: 'failed', reason: 'server_error' }, 'server_error', true],
    [{ kind: 'failed', reason: 'garbage' }, 'garbage', true],
    [{ kind: 'not_found' }, undefined, false],
    [{ kind: 'unsupported', reason: 'retired' }, 'retired', false],
  ];

  it.each(REFUSALS)(
    'the outcome %o keeps the last price and records the reason',
    (refusal, reason, retried) => {
      const known = anAnsweredRecord('floor', aPrice('60'));

      const record = absorb(known, refusalOf(refusal));

      expect(record).toEqual({
        ...known,
        series: {
          floor: {
            outcome: refusal.kind,
            ...(reason === undefined ? {} : { reason }),
            since: LATER,
            noDataSince: LATER,
            answeredAt: NOON,
            failures: retried ? 1 : 5,
            ...(retried ? { retryAt: LATER + MINUTE } : {}),
          },
        },
      });
    },
  );

  it('treats an empty answer for a floor as an answer without a price', () => {
    const known = anAnsweredRecord('floor', aPrice('60'));

    const record = absorb(known, refusalOf({ kind: 'empty' }));

    expect(record.timeline).toEqual(known.timeline);
    expect(record.series.floor).toMatchObject({ outcome: 'empty' });
  });

  it('retries a failed series after 1, 2, 4 and 8 minutes, then at the cadence', () => {
    const pauses: unknown[] = [];
    let record = aContractRecord();
    for (let failure = 1; failure <= 7; failure += 1) {
      record = absorb(record, refusalOf({ kind: 'failed', reason: 'timeout' }));
      const retryAt = record.series.floor?.retryAt;
      pauses.push(retryAt === undefined ? 'cadence' : (retryAt - LATER) / MINUTE);
    }

    expect(pauses).toEqual([1, 2, 4, 8, 'cadence', 'cadence', 'cadence']);
  });

  it('resets the retries of a series after an answer with a value', () => {
    const failing = {
      outcome: 'failed',
      reason: 'timeout',
      failures: 4,
      retryAt: LATER,
      noDataSince: NOON,
    } as const;
    const known = anAnsweredRecord('floor', aPrice('60'), failing);

    const record = absorb(known, answerOf('floor', [aPrice('60')]));

    expect(record.series.floor).toEqual({
      outcome: 'ok',
      since: LATER,
      answeredAt: LATER,
    });
  });

  it.each([
    { again: { kind: 'denied', reason: 'quota' }, since: NOON },
    { again: { kind: 'denied', reason: 'key' }, since: LATER },
    { again: { kind: 'not_ready' }, since: LATER },
  ] as const)(
    'keeps the time of the first failure while the reason is the same: $again',
    ({ again, since }) => {
      const known = absorb(aContractRecord(), refusalOf({ kind: 'denied', reason: 'quota' }), NOON);

      expect(absorb(known, refusalOf(again)).series.floor?.since).toBe(since);
    },
  );

  it('updates other series of the contract if one fails', () => {
    const known = aContractRecord({ series: { floor: {}, 'lowest.7d': {} } });
    const failed = refusalOf({ kind: 'failed', reason: 'timeout' });

    const record = absorbAnswers(
      known,
      [failed, answerOf('lowest.7d', [aTrade('10', NOON)])],
      NOON,
    );

    expect(record.series.floor?.outcome).toBe('failed');
    expect(record.series['lowest.7d']?.outcome).toBe('ok');
    expect(record.timeline.steps).toMatchObject([
      { answeredAt: { 'lowest.7d': expect.any(Number) } },
      { forTimers: true },
    ]);
  });
});

describe('quiet polls', () => {
  const known = anAnsweredRecord('floor', aPrice('60'));
  const withSteps = absorb(aContractRecord(), answerOf('floor', [aPrice('60')], NOON));
  const withSeries = (given: Partial<SeriesRecord>) =>
    anAnsweredRecord('floor', aPrice('60'), given);
  const same = answerOf('floor', [aPrice('60')]);
  const failed = refusalOf({ kind: 'failed', reason: 'timeout' });
  const failing = { outcome: 'failed', reason: 'timeout' } as const;

  it.each<[when: string, quiet: boolean, before: ContractRecord, answer: SeriesAnswer]>([
    ['the same value is reported again', true, known, same],
    ['a new value is reported', false, known, answerOf('floor', [aPrice('61')])],
    ['steps are pending', false, withSteps, same],
    ['a timer is due', false, { ...known, timers: { answer: LATER } }, same],
    ['a timer is not due yet', true, { ...known, timers: { answer: LATER + 1 } }, same],
    ['an episode of a window is open', false, { ...known, timers: { window: LATER + 1 } }, same],
    ['a new watch has no value yet', false, { ...known, timers: { refreshRequested: NOON } }, same],
    ['a timer of the clock is due', false, { ...known, timers: { clock: LATER } }, same],
    ['it is the first answer', false, aContractRecord(), same],
    ['a price series fails now', false, known, failed],
    ['a price series works again', false, withSeries({ ...failing, failures: 5 }), same],
    ['a retry fails again', false, withSeries({ ...failing, failures: 1, retryAt: LATER }), failed],
    [
      'a price series fails again before its retry',
      false,
      withSeries({ ...failing, failures: 1, retryAt: LATER + MINUTE }),
      failed,
    ],
    [
      'a series fails for the same reason as before',
      true,
      withSeries({ ...failing, failures: 5, noDataSince: NOON }),
      failed,
    ],
    ['a record is skipped for the first time', false, known, { ...same, skipped: { no_price: 1 } }],
    [
      'records are skipped for a reason that was noted within the last hour',
      true,
      withSeries({ skipped: { at: LATER - HOUR + 1, records: { no_price: 2 } } }),
      { ...same, skipped: { no_price: 1 } },
    ],
    [
      'records are skipped for a reason that was noted an hour ago',
      false,
      withSeries({ skipped: { at: LATER - HOUR, records: { no_price: 1 } } }),
      { ...same, skipped: { no_price: 1 } },
    ],
    [
      'records are skipped for another reason',
      false,
      withSeries({ skipped: { at: LATER - 1, records: { no_price: 1 } } }),
      { ...same, skipped: { other_money: 1 } },
    ],
    [
      'a series that was not polled is reported again',
      false,
      withSeries({ noDataSince: NOON }),
      same,
    ],
    [
      'a series fails for another reason',
      false,
      withSeries({ ...failing, reason: 'garbage', failures: 5 }),
      failed,
    ],
    [
      'the outcome changes',
      false,
      withSeries({ outcome: 'not_found', failures: 5 }),
      refusalOf({ kind: 'unsupported', reason: 'chain' }),
    ],
  ])('decides whether a poll is quiet when %s: %s', (_when, quiet, before, answer) => {
    expect(isQuiet(before, absorb(before, answer), LATER)).toBe(quiet);
  });

  it('treats a poll as quiet if another series has a retry that is not due yet', () => {
    const later: SeriesRecord = { ...failing, failures: 1, retryAt: LATER + 1 };
    const before = { ...known, series: { ...known.series, 'lowest.7d': later } };

    expect(isQuiet(before, absorb(before, same), LATER)).toBe(true);
    expect(isQuiet(before, absorb(before, same), LATER + 1)).toBe(false);
  });
});
